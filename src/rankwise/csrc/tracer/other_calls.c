#include "arguments.h"
#include "communicators.h"
#include "recording.h"

/* By this thread's call; the handle is gone when that ends. */
static __thread int freed __attribute__((tls_model("initial-exec")));

void note_other(const Traced *call, int code)
{
    const int64_t row[] = {call->function};
    lock();
    done(call, code, row, 1);
}

void note_file(const Traced *call, int code)
{
    lock();
    const int64_t row[] = {call->function, bytes_of(call->send_count, call->send_type),
                           bytes_of(call->recv_count, call->recv_type)};
    done(call, code, row, 3);
}

void note_idle(const Traced *call, int code)
{
    (void)code;
    lock();
    Idle *idle = &recorded_state()->idle[call->function % MOST_FUNCTIONS];
    if (recording) {
        idle->calls++;
        idle->nanoseconds += (uint64_t)(call->exit - call->entry);
    }
    unlock();
    inside_tracer = 0;
}

void note_created(const Traced *call, int code)
{
    lock();
    const int64_t row[] = {call->function,
                           code == MPI_SUCCESS ? known(call->comm)->number : NOTHING};
    done(call, code, row, 2);
}

void remember_communicator(MPI_Comm comm)
{
    lock();
    freed = known(comm)->number;
    unlock();
}

void note_freed(const Traced *call, int code)
{
    lock();
    const int64_t row[] = {call->function, freed};
    if (code == MPI_SUCCESS)
        forget(call->comm);
    done(call, code, row, 2);
}
