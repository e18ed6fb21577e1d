/* Which message belongs to which receive, of all communicators that reach over several sites.
 *
 * Receives that only another rank of this site can serve are the library's own. All others wait
 * here in the order in which they were posted: for a message from another site, or, where one from
 * this site would do as well, until the library has such a message (nearby.h), which is then
 * received from its sender. While such a receive waits, later ones on that communicator that could
 * take a message away from it wait behind it. */
#ifndef MATCHING_H
#define MATCHING_H

#include "request.h"

/* A message from another site that nobody waits for yet. */
typedef struct Unexpected Unexpected;
struct Unexpected {
    Header header;
    Peer *peer;
    char *data;      /* what has come at once */
    bool complete;   /* that is all here */
    Request *wanted; /* by which it has been taken while it was coming */
    Unexpected *next;
};

/* A receive waits from now on; no longer: false, it did not. */
void add_posted(Request *request);
bool remove_posted(Request *request);

/* The receive that has waited longest for such a message, which is no longer posted then, or
 * NULL. */
Request *take_posted(Context *context, int source, int tag);

/* Whether a receive that is posted would take such a message. */
bool is_awaited(const Context *context, int source, int tag);

/* A message that nobody waits for. */
void add_unexpected(Context *context, Unexpected *message);

/* The first message from another site that fits; `take`: nobody else gets it. */
Unexpected *find_unexpected(const Joined *joined, int source, int tag, bool take);

/* Whether a message for this source and tag would have to wait behind a receive that is posted. */
bool must_wait(const Joined *joined, int source);

/* Whether another rank of this site could serve a receive from this source. */
bool may_be_local(const Joined *joined, int source);
extern int local_waits; /* receives that wait here and that one could serve */

#endif
