#include "arguments.h"
#include "communicators.h"
#include "recording.h"
#include "request_calls.h"
#include "signatures.h"
#include "windows.h"
#include <stdlib.h>

/* By this thread's call; the handle is gone when that ends. */
static __thread Window freed __attribute__((tls_model("initial-exec")));

void note_rma(const Traced *call, int code)
{
    lock();
    const Window at = window(call->win);
    const bool sends = call->send_count > 0 && !call->no_operation;
    int64_t row[7] = {call->function,
                      at.communicator,
                      at.number,
                      our_rank(call->peer),
                      sends ? bytes_of(call->send_count, call->send_type) : 0,
                      call->returns ? bytes_of(call->recv_count, call->recv_type) : NOTHING};
    int length = 6;
    if (call->request.array && code == MPI_SUCCESS)
        row[length++] = new_slot(call, at.communicator, NOTHING, NOTHING, 0, false);
    done(call, code, row, length);
}

/* Appends the group's members as ranks of the window. */
static int put_members(MPI_Win win, MPI_Group group, int64_t *row, int length)
{
    MPI_Group whole;
    int size = 0;
    PMPI_Group_size(group, &size);
    int *own = size > 0 && length + size <= LONGEST_SIGNATURE
                   ? malloc((size_t)size * 2 * sizeof *own)
                   : NULL;
    if (!own)
        return length;
    for (int i = 0; i < size; i++)
        own[i] = i;
    PMPI_Win_get_group(win, &whole);
    PMPI_Group_translate_ranks(group, size, own, whole, own + size);
    PMPI_Group_free(&whole);
    for (int i = 0; i < size; i++)
        row[length++] = own[size + i];
    free(own);
    return length;
}

void note_sync(const Traced *call, int code)
{
    static __thread int64_t row[LONGEST_SIGNATURE] __attribute__((tls_model("initial-exec")));
    lock();
    const Window at = window(call->win);
    int length = 3;
    row[0] = call->function, row[1] = at.communicator, row[2] = at.number;
    if (call->has_target)
        row[length++] = our_rank(call->peer);
    if (call->has_group && code == MPI_SUCCESS)
        length = put_members(call->win, call->group, row, length);
    done(call, code, row, length);
}

void note_window(const Traced *call, int code)
{
    lock();
    const int communicator = known(call->comm)->number;
    if (code == MPI_SUCCESS)
        add_window(call->win, communicator);
    const int64_t row[] = {call->function, communicator, window(call->win).number};
    done(call, code, row, 3);
}

void remember_window(MPI_Win win)
{
    lock();
    freed = window(win);
    unlock();
}

void note_window_free(const Traced *call, int code)
{
    lock();
    const int64_t row[] = {call->function, freed.communicator, freed.number};
    if (code == MPI_SUCCESS)
        forget_window(freed.number);
    done(call, code, row, 3);
}
