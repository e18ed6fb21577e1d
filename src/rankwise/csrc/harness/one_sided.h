/* Memory that every rank exposes to the others, for the one-sided benchmarks. */
#ifndef RANKWISE_ONE_SIDED_H
#define RANKWISE_ONE_SIDED_H

#include "kernel.h"

/* What c->state is from setup to teardown. Only the ranks of the benchmark have a window, for a
 * fence takes all ranks of one; the others have mere memory. */
typedef struct {
    MPI_Comm comm;
    MPI_Win window;
    MPI_Group partner; /* alone */
    int target;        /* the partner's rank in the window */
    char *memory;      /* as large as c->pool; what belongs to c->receive is at receive_offset */
    int operand, comparand, result; /* of atomic operations */
} OneSided;

void open_one_sided(Cell *c); /* sets c->state to a OneSided */
void close_one_sided(Cell *c);
MPI_Aint receive_offset(const Cell *c); /* the same on both ranks of a pair */
char *exposed_block(const Cell *c);     /* this rank's memory at receive_offset */
MPI_Aint offset_of(const Cell *c, int block);
int *exposed_number(const Cell *c);
void sync_exposed(const Cell *c); /* between own loads and stores and others' operations */

/* Around operations of this rank on its partner's memory (`accesses`), of its partner on this
 * rank's (`exposes`), or both; begin_access returns `accesses`. What c->sync means:
 *     FLUSH        all windows are locked for the whole cell; complete at the target (flush)
 *     FLUSH_LOCAL  as that, but complete at the origin alone (flush_local)
 *     LOCK         a shared lock for each time
 *     FENCE        a fence before and after
 *     POST_START   post, start, complete and wait */
bool begin_access(const Cell *c, bool accesses, bool exposes);
void end_access(const Cell *c, bool accesses, bool exposes);

/* What is put, and what is got, a window of messages in windowed benchmarks; both ways if the
 * benchmark moves two blocks. */
extern const Data put_data, get_data;
extern const Data put_window_data, get_window_data;
/* Reductions of the leading rank's terms into those of its partner. */
extern const Data accumulate_data, get_accumulate_data;

#endif
