/* Stands between a program and its MPI and records the calls: which one, with whom, how many bytes,
 * from when to when. Each recorded function has a wrapper, written by artifacts/tracer.py from the
 * declarations in the library's mpi.h. It asks `begin_call`, calls the library, and hands what it
 * was called with to the `note_` function of its kind. All calls of ours are PMPI_. */
#ifndef RANKWISE_TRACER_H
#define RANKWISE_TRACER_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifndef MPI_F_STATUS_SIZE /* before MPI 4 */
#define MPI_F_STATUS_SIZE (sizeof(MPI_Status) / sizeof(MPI_Fint))
#endif

/* In a record: no process (MPI_PROC_NULL), any (MPI_ANY_SOURCE, MPI_ANY_TAG), nothing to be said.
 */
enum { NOBODY = -1, ANY = -2, NOTHING = -3 };

/* Requests and statuses as C or as Fortran has them. */
typedef struct {
    const void *array;
    bool fortran;
} Array;

/* Counts of a v-variant: ints, or 64 bits each in a `_c` variant. NULL: none. */
typedef struct {
    const void *array;
    bool wide;
} Numbers;

/* What a call was called with; what a function does not have is zero. */
typedef struct {
    int function; /* in `traced_functions` */
    int64_t entry, exit;
    const void *send, *recv;
    int64_t send_count, recv_count;
    Numbers send_counts, recv_counts;
    MPI_Datatype send_type, recv_type;
    int peer, tag, source, recv_tag, root;
    MPI_Comm comm;
    int64_t requests; /* how many */
    Array request, status;
    int completed;                               /* requests; MPI_UNDEFINED: none is active */
    const int *indices;                          /* of those, if not all */
    int first_index;                             /* 1 in Fortran */
    const void *message;                         /* an MPI_Message, where there are any */
    const MPI_Datatype *send_types, *recv_types; /* of MPI_Alltoallw */
    bool persistent;
    bool rooted, scatters; /* scatters: the root sends, the others receive */
    MPI_Win win;
    MPI_Group group;
    bool has_target, has_group;
    bool returns, no_operation; /* something comes back; MPI_NO_OP: nothing is sent */
} Traced;

extern const char *const traced_functions[]; /* "MPI_Send send" */
extern const int traced_function_count;

/* Not 0: calls are recorded. */
extern int recording;
/* Not 0: this thread is inside one of our functions, and what is called there is the library's. */
extern __thread int inside_tracer __attribute__((tls_model("initial-exec")));

static inline int64_t now_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* False: leave this call alone. */
bool may_begin(void);
static inline bool begin_call(void)
{
    if (inside_tracer || (!recording && !may_begin()))
        return false;
    inside_tracer = 1;
    return true;
}

/* After the library's function; `code` is what that returned. */
void note_send(const Traced *call, int code);
void note_receive(const Traced *call, int code);
void note_both(const Traced *call, int code);
void note_probe(const Traced *call, int code);
void note_start(const Traced *call, int code);
void note_completion(const Traced *call, int code);
void note_collective(const Traced *call, int code);
void note_rma(const Traced *call, int code);
void note_sync(const Traced *call, int code);
void note_window(const Traced *call, int code);
void note_window_free(const Traced *call, int code);
void note_file(const Traced *call, int code);
void note_other(const Traced *call, int code);
void note_idle(const Traced *call, int code); /* a test or probe that found nothing */
void note_created(const Traced *call, int code);
void note_freed(const Traced *call, int code);
void note_request_free(const Traced *call, int code);

/* Before the library's function, which takes the handles away. */
void remember_requests(const Traced *call);
void remember_communicator(MPI_Comm comm);
void remember_message(const Traced *call);
void remember_window(MPI_Win win);

/* MPI_Init has ended. */
void tracer_started(void);
void note_control(int level);

/* Statuses for a caller who wants none. NULL: no memory. */
void *own_statuses(int64_t count, bool fortran);

#endif
