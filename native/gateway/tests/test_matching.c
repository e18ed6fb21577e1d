/* Receives and messages find each other in MPI's order: against lists that are searched from the
 * beginning, by random sequences of what may come. */
#include "check.h"
#include "matching.h"
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, TAGS = 3, MOST = 64, ROUNDS = 200, STEPS = 400 };

/* The naive model: who waits and what has come, each by its number, in order. */
typedef struct {
    int source, tag, number;
} Entry;
typedef struct {
    Entry all[MOST];
    int count;
} List;

static bool meet(int source, int tag, int from, int with)
{
    return (source == MPI_ANY_SOURCE || source == from) && (tag == MPI_ANY_TAG || tag == with);
}

static void drop(List *list, int place)
{
    memmove(&list->all[place], &list->all[place + 1],
            (size_t)(list->count - place - 1) * sizeof(Entry));
    list->count--;
}

/* The place of the first receive for this message, or of the first message for this receive. */
static int first_posted(const List *posted, int from, int with)
{
    for (int i = 0; i < posted->count; i++)
        if (meet(posted->all[i].source, posted->all[i].tag, from, with))
            return i;
    return -1;
}

static int first_message(const List *came, int source, int tag)
{
    for (int i = 0; i < came->count; i++)
        if (meet(source, tag, came->all[i].source, came->all[i].tag))
            return i;
    return -1;
}

static Request requests[MOST];
static Unexpected messages[MOST];
static bool used_request[MOST], used_message[MOST];

static int unused(bool *used)
{
    int i = 0;
    while (i < MOST && used[i])
        i++;
    return i;
}

/* Ranks 0 and 2 are in this site. */
static int to_local[RANKS] = {0, -1, 1, -1};

static bool could_be_here(int source)
{
    return source == MPI_ANY_SOURCE || to_local[source] >= 0;
}

static void post(Joined *j, List *posted, List *came)
{
    const int source = draw(3) ? draw(RANKS) : MPI_ANY_SOURCE;
    const int tag = draw(3) ? draw(TAGS) : MPI_ANY_TAG, number = unused(used_request);
    const int expected = first_message(came, source, tag);
    const Unexpected *looked = find_unexpected(j, source, tag, false);
    Unexpected *found = find_unexpected(j, source, tag, true);
    CHECK(found == looked);
    CHECK((found ? (int)(found - messages) : -1) ==
          (expected < 0 ? -1 : came->all[expected].number));
    if (found) {
        used_message[came->all[expected].number] = false;
        drop(came, expected);
        return;
    }
    if (number == MOST)
        return;
    requests[number] = (Request){.joined = j, .source = source, .tag = tag};
    used_request[number] = true;
    add_posted(&requests[number]);
    posted->all[posted->count++] = (Entry){source, tag, number};
}

static void arrive(Joined *j, List *posted, List *came)
{
    const int from = draw(RANKS), with = draw(TAGS), number = unused(used_message);
    const int expected = first_posted(posted, from, with);
    CHECK(is_awaited(j->context, from, with) == (expected >= 0));
    const Request *found = take_posted(j->context, from, with);
    CHECK((found ? (int)(found - requests) : -1) ==
          (expected < 0 ? -1 : posted->all[expected].number));
    if (found) {
        used_request[posted->all[expected].number] = false;
        drop(posted, expected);
        return;
    }
    if (number == MOST)
        return;
    messages[number] = (Unexpected){.header = {.source = from, .tag = with}};
    used_message[number] = true;
    add_unexpected(j->context, &messages[number]);
    came->all[came->count++] = (Entry){from, with, number};
}

static void withdraw(List *posted)
{
    if (!posted->count)
        return;
    const int place = draw(posted->count), number = posted->all[place].number;
    CHECK(remove_posted(&requests[number]));
    CHECK(!remove_posted(&requests[number]));
    used_request[number] = false;
    drop(posted, place);
}

static void check_waits(const Joined *j, const List *posted)
{
    int here = 0;
    for (int i = 0; i < posted->count; i++)
        here += could_be_here(posted->all[i].source);
    CHECK(j->context->local_waits == here && local_waits == here);
    for (int r = 0; r < RANKS; r++) {
        CHECK(may_be_local(j, r) == could_be_here(r));
        CHECK(must_wait(j, r) == (here > 0));
    }
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        Context context = {.number = 5};
        Joined joined = {
            .context = &context, .remote_size = RANKS, .to_local = to_local, .local_size = 2};
        List posted = {.count = 0}, came = {.count = 0};
        memset(used_request, 0, sizeof used_request);
        memset(used_message, 0, sizeof used_message);
        local_waits = 0;
        for (int step = 0; step < STEPS; step++) {
            const int kind = draw(5);
            if (kind < 2)
                post(&joined, &posted, &came);
            else if (kind < 4)
                arrive(&joined, &posted, &came);
            else
                withdraw(&posted);
            check_waits(&joined, &posted);
        }
    }
    return failures != 0;
}
