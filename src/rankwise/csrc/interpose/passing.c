#include "passing.h"

Tally tallies[MOST_FUNCTIONS];
int tally_count;
unsigned char may_replace[OPERATIONS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
__thread int inside;
__thread Recent recent[RECENT];
unsigned generation = 1;

void name_functions(const char *const names[], int count)
{
    for (tally_count = 0; tally_count < count; tally_count++)
        tallies[tally_count].name = names[tally_count];
}
