#include "../interpose/in_place.h"
#include "arguments.h"
#include "communicators.h"
#include "recording.h"
#include "request_calls.h"

/* Of one block, or of all blocks where these may differ. */
static int64_t bytes_in(Numbers counts, int64_t count, MPI_Datatype type, const MPI_Datatype *types,
                        int size)
{
    int64_t bytes = 0, sum = 0;
    if (!counts.array)
        return bytes_of(count, type);
    for (int i = 0; i < size; i++) {
        const int64_t one =
            counts.wide ? ((const int64_t *)counts.array)[i] : ((const int *)counts.array)[i];
        sum += one;
        if (types)
            bytes += bytes_of(one, types[i]);
    }
    return types ? bytes : bytes_of(sum, type);
}

/* Counts and types are looked at only where MPI gives them a meaning: others may be anything. */
void note_collective(const Traced *call, int code)
{
    lock();
    const Known *comm = known(call->comm);
    int64_t root = NOTHING, sent = 0, received = 0;
    bool at_root = true, elsewhere = true;
    if (call->rooted) {
        root = call->root == MPI_PROC_NULL ? NOBODY : call->root;
        at_root = comm->inter ? call->root == MPI_ROOT : call->root == comm->rank;
        elsewhere = comm->inter ? call->root >= 0 : true;
        if (comm->inter && at_root)
            root = NOTHING;
    }
    const bool in_place = call->send == MPI_IN_PLACE, out_of_place = call->recv == MPI_IN_PLACE;
    const bool sends = call->scatters ? at_root : elsewhere;
    const bool receives = call->scatters ? elsewhere && !(call->rooted && at_root) : at_root;
    if (code == MPI_SUCCESS && sends && !in_place)
        sent = bytes_in(call->send_counts, call->send_count, call->send_type, call->send_types,
                        comm->size);
    if (code == MPI_SUCCESS && receives && !out_of_place)
        received = bytes_in(call->recv_counts, call->recv_count, call->recv_type, call->recv_types,
                            comm->size);
    int64_t row[6] = {call->function, comm->number, root, sent, received};
    int length = 5;
    if (call->request.array && code == MPI_SUCCESS)
        row[length++] = new_slot(call, comm->number, NOTHING, NOTHING, sent, false);
    done(call, code, row, length);
}
