/* MPI_Comm_idup: the new communicator's number comes by a broadcast, while the library makes copies
 * of the native communicators. */
#include "batch.h"
#include "calls.h"
#include "derived.h"
#include <stdlib.h>

typedef struct {
    Joined *joined;
    int number;
    Halves halves;
    MPI_Info info;
    MPI_Comm *made; /* of the program's: NULL, it has been told */
} Copy;

static bool copied(Batch *b, void *work)
{
    Copy *c = work;
    if (world.old_library) /* which has no such function: the others need not wait for that */
        batch_fails(b, refuse_call(c->joined->local, NUMBER_Comm_idup));
    if (batch_code(b) == MPI_SUCCESS)
        batch_fails(b, c->number ? join_copy(c->joined, c->halves, c->number) : MPI_ERR_INTERN);
    if (batch_code(b) == MPI_SUCCESS && c->made)
        *c->made = c->halves.local;
    if (c->info != MPI_INFO_NULL) {
        if (batch_code(b) == MPI_SUCCESS)
            below.Comm_set_info(c->halves.local, c->info);
        below.Info_free(&c->info);
    }
    c->joined->copies--;
    release_joined(c->joined);
    free(c);
    return false;
}

static void copy_halves(Copy *c, Batch *b)
{
    const Joined *j = c->joined;
    MPI_Request request;
    int code = below.Comm_idup(j->local, &c->halves.local, &request);
    batch_add(b, request, code);
    if (code != MPI_SUCCESS)
        return;
    code = below.Comm_idup(j->own, &c->halves.own, &request); /* which has no attributes */
    batch_add(b, request, code);
}

static int begin_copy(Joined *j, MPI_Info info, MPI_Comm *made, MPI_Request *request)
{
    MPI_Request told;
    if (j->mixed)
        return refuse_call(j->local, NUMBER_Comm_idup);
    Batch *b = new_batch(joined_of(j->own), 3);
    Copy *c = b ? malloc(sizeof *c) : NULL;
    if (!b)
        return fail(j, MPI_ERR_NO_MEM);
    if (!c) {
        batch_fails(b, MPI_ERR_NO_MEM);
        return fail(j, end_batch(b, j, &operations, request));
    }
    *c = (Copy){.joined = j, .halves = HALF(MPI_COMM_NULL), .info = MPI_INFO_NULL, .made = made};
    if (info != MPI_INFO_NULL)
        batch_fails(b, below.Info_dup(info, &c->info));
    j->uses++;
    j->copies++;
    then(b, copied, c);
    if (joined_of(j->own)->rank == 0)
        c->number = new_number();
    const int code = PMPI_Ibcast_c(&c->number, 1, MPI_INT, 0, j->own, &told);
    batch_add(b, told, code);
    if (code == MPI_SUCCESS && !world.old_library)
        copy_halves(c, b);
    *made = c->halves.local;
    if (*made != MPI_COMM_NULL) /* else the library says it in the end */
        c->made = NULL;
    return fail(j, end_batch(b, j, &operations, request));
}

int call_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    Joined *j = joined_of(comm);
    return j ? begin_copy(j, MPI_INFO_NULL, newcomm, request)
             : below.Comm_idup(comm, newcomm, request);
}

int call_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    Joined *j = joined_of(comm);
    return j ? begin_copy(j, info, newcomm, request)
             : below.Comm_idup_with_info(comm, info, newcomm, request);
}
