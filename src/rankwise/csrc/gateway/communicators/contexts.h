/* Where the messages of a communicator are matched, and the numbers by which other processes name
 * it. */
#ifndef CONTEXTS_H
#define CONTEXTS_H

struct Joined;

/* A context is a number that all ranks of a communicator agree on: messages may come before their
 * communicator is there. */
typedef struct Context Context;
struct Context {
    int number;
    struct Joined *joined; /* NULL: not there yet */
    struct Request *posted, *last;
    struct Unexpected *unexpected, *newest;
    int local_waits;
    Context *older, *next_in_bucket;
};

extern Context *contexts;        /* the newest of all */
Context *context_of(int number); /* made if need be; NULL: there are too many */
void free_context(Context *context);

/* A number that no process has given yet: whoever makes a communicator hears one that a certain of
 * its ranks gives, so that none has to be agreed on. 0: it has given too many. */
int new_number(void);

/* Where two jobs take part, all have to agree: on the largest of these, which is then taken. */
extern int next_mixed;
int take_mixed(int agreed);

#endif
