/* A collective algorithm as data: what one rank sends, receives, copies and reduces, and what has
 * to be done before. No MPI: schedules are run over any MPI's point-to-point messages
 * (csrc/execution), simulated, proved and drawn.
 *
 * A schedule is of one rank. Its steps stand in an order in which they may be carried out one
 * after another; a step may begin as soon as those that it names with `depend` have ended. All
 * lengths and offsets are in elements of the collective's datatype. */
#ifndef RANKWISE_SCHEDULE_H
#define RANKWISE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packed elements without gaps. Which rank has how many of INPUT and OUTPUT depends on the
 * operation (problem.h); SCRATCH is the schedule's own memory. */
typedef enum { INPUT_MEMORY, OUTPUT_MEMORY, SCRATCH_MEMORY } Memory;

typedef struct {
    Memory memory;
    int64_t offset;
} Place;

typedef enum { SEND_STEP, RECEIVE_STEP, COPY_STEP, REDUCE_STEP } StepKind;

/* A send or a receive has ended when its memory may be used again. A message meets the receive of
 * its pair of ranks that has the same tag: of two messages from one rank to another that can be
 * under way at once, each needs its own. A reduce makes `to` of `from` op `to`, in this order. */
typedef struct {
    StepKind kind;
    int peer; /* of a send or a receive; else -1 */
    int tag;
    Place from, to; /* a send has `from` alone, a receive `to` alone */
    int64_t length;
    int first_dependency, dependencies; /* in Schedule.dependency */
} Step;

typedef struct {
    Step *steps;
    int count, room;
    int *dependency; /* the steps that are waited for */
    int dependency_count, dependency_room;
    int64_t scratch;     /* elements of SCRATCH_MEMORY */
    int tags;            /* all tags are below this */
    const char *failure; /* why there is no schedule; NULL: there is one */
} Schedule;

enum { NO_STEP = -1 };

static inline Place place(Memory memory, int64_t offset)
{
    return (Place){memory, offset};
}

static inline Place beyond(Place start, int64_t elements)
{
    return (Place){start.memory, start.offset + elements};
}

/* Each adds a step that waits for step `after` (NO_STEP: for none) and returns its number. What
 * has no elements is no step: then they return `after`, which stands for all that it waited for. */
int add_send(Schedule *s, int peer, int tag, Place from, int64_t length, int after);
int add_receive(Schedule *s, int peer, int tag, Place to, int64_t length, int after);
int add_copy(Schedule *s, Place from, Place to, int64_t length, int after);
int add_reduce(Schedule *s, Place from, Place to, int64_t length, int after);

/* A message without data is a step all the same: for barriers. */
int add_signal(Schedule *s, int peer, int tag, int after);
int add_signal_receive(Schedule *s, int peer, int tag, int after);

/* Stands for all steps that it is made to wait for, by `after` and `depend`: a copy of nothing. */
int add_join(Schedule *s, int after);

/* What stands for both of these: one of them, or a join. */
int both(Schedule *s, int a, int b);

/* What stands for all steps from number `first` on, each of which waits for `after`, if only by way
 * of others: one of them, a join, or `after` itself where there are none. */
int join_since(Schedule *s, int first, int after);

/* Step `step` waits for step `on` as well. Only for the newest step; NO_STEP is ignored for either.
 */
void depend(Schedule *s, int step, int on);

/* Elements of scratch memory, zero or more; a schedule asks as often as it likes. */
Place add_scratch(Schedule *s, int64_t elements);

/* There is no schedule, for this reason (a constant text). */
void refuse(Schedule *s, const char *reason);

void free_schedule(Schedule *s);

#endif
