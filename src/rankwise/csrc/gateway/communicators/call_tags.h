/* The tags of collective calls: each has some of its own, so that messages of several calls under
 * way are told apart.
 *
 * Calls take a communicator's tags in turn, in the order in which the program makes them, which is
 * the same on all ranks. One whose tags are still taken waits until the call that has them has
 * ended on this rank: messages between two ranks do not overtake one another, so both find each
 * other's calls in order, and what waits is never waited for by what it waits for. Persistent
 * operations, which may be started in any order, have tags for themselves from the call that makes
 * them on. */
#ifndef CALL_TAGS_H
#define CALL_TAGS_H

#include <stdbool.h>

enum { CALLS_AT_ONCE = 64, PERSISTENT_AT_ONCE = 1024 };

typedef struct TagsInUse TagsInUse;
typedef struct CallTags CallTags;
struct CallTags {
    TagsInUse *all;
    int number;
    bool persistent;
    bool waits;         /* for the call that has taken it before */
    CallTags *follower; /* that waits for this one */
    long holders;
};

/* Of a communicator's own messages, which outlives all calls. */
struct TagsInUse {
    int tag_bound;
    long calls, persistent_calls;
    CallTags *newest[CALLS_AT_ONCE];
    bool taken[PERSISTENT_AT_ONCE];
};

/* The next call's, held once. NULL: there is no memory, or there are PERSISTENT_AT_ONCE persistent
 * operations. */
CallTags *take_tags(TagsInUse *all);
CallTags *take_persistent_tags(TagsInUse *all);

void hold_tags(CallTags *tags);
void leave_tags(CallTags *tags); /* the last to leave it frees it */
void await_tags(const CallTags *tags);

/* Its first tag, and how many it has. */
int first_tag(const CallTags *tags);
int tag_count(const CallTags *tags);

/* Among the last tags, that for messages of a call with a tag of the program's: threads that make
 * communicators at once have different ones. */
int tag_of_program(int tag_bound, int communicator_number, int tag);

#endif
