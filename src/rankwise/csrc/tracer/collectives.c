#include "../interpose/in_place.h"
#include "arguments.h"
#include "communicators.h"
#include "recording.h"
#include "request_calls.h"
#include "signatures.h"

static int64_t count_at(Numbers counts, int i)
{
    return counts.wide ? ((const int64_t *)counts.array)[i] : ((const int *)counts.array)[i];
}

static int64_t block_at(Numbers counts, int i, MPI_Datatype type, const MPI_Datatype *types)
{
    return bytes_of(count_at(counts, i), types ? types[i] : type);
}

/* Of one block, or of all blocks where these may differ. */
static int64_t bytes_in(Numbers counts, int64_t count, MPI_Datatype type, const MPI_Datatype *types,
                        int size)
{
    int64_t bytes = 0;
    if (!counts.array)
        return bytes_of(count, type);
    for (int i = 0; i < size; i++)
        bytes += block_at(counts, i, type, types);
    return bytes;
}

/* Appends what this rank sends to each other, or as its own block to all, where ranks may differ in
 * that. Nothing if there is no room: the sums have to do. */
static int put_blocks(const Traced *call, const Known *comm, bool in_place, int64_t *row,
                      int length)
{
    if (call->rooted || comm->inter || comm->rank < 0)
        return length;
    if (call->send_counts.array && length + comm->size <= LONGEST_SIGNATURE) {
        for (int i = 0; i < comm->size; i++)
            row[length++] = in_place
                                ? block_at(call->recv_counts, i, call->recv_type, call->recv_types)
                                : block_at(call->send_counts, i, call->send_type, call->send_types);
    } else if (call->recv_counts.array && !call->send_counts.array) {
        row[length++] = block_at(call->recv_counts, comm->rank, call->recv_type, NULL);
    }
    return length;
}

/* Counts and types are looked at only where MPI gives them a meaning: others may be anything. */
void note_collective(const Traced *call, int code)
{
    static __thread int64_t row[LONGEST_SIGNATURE] __attribute__((tls_model("initial-exec")));
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
    row[0] = call->function, row[1] = comm->number, row[2] = root, row[3] = sent, row[4] = received;
    row[5] = NOBODY;
    if (call->request.array && code == MPI_SUCCESS)
        row[5] = new_slot(call, comm->number, NOTHING, NOTHING, sent, false);
    int length = code == MPI_SUCCESS ? put_blocks(call, comm, in_place, row, 6) : 5;
    if (length == 6 && row[5] < 0) /* neither request nor blocks */
        length = 5;
    done(call, code, row, length);
}
