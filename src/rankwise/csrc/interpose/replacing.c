#include "replacing.h"
#include "../execution/elements.h"
#include "data.h"
#include "in_place.h"
#include "reducible.h"
#include <stdlib.h>
#include <string.h>

/* A gatherv's counts are the root's alone, as is a gather's receive type. */
static bool sends(const Collective *call, bool root)
{
    if (call->send == MPI_IN_PLACE)
        return false;
    return call->operation != BCAST && (call->operation != SCATTER || root);
}

static bool receives(const Collective *call, bool root)
{
    if (call->recv == MPI_IN_PLACE)
        return false;
    return (call->operation != GATHER && call->operation != REDUCE) || root;
}

static bool may_be_in_place(const Collective *call, bool root)
{
    switch (call->operation) {
    case BCAST:
    case BARRIER:
        return false;
    case SCATTER:
        return false; /* its `recv` may be */
    case REDUCE:
    case GATHER:
        return root;
    default:
        return true;
    }
}

/* The other side's array of a v-variant must be there only where its blocks are. */
static int check_blocks(const void *buffer, MPI_Datatype type, int64_t count, Numbers counts,
                        int ranks)
{
    const int64_t bytes = bytes_of(type);
    bool some = count > 0, negative = count < 0;
    for (int r = 0; counts.array && r < ranks; r++) {
        negative |= number(counts, r) < 0;
        some |= number(counts, r) > 0;
    }
    if (negative)
        return MPI_ERR_COUNT;
    if (bytes < 0)
        return MPI_ERR_TYPE;
    /* A derived type may have addresses from MPI_BOTTOM. */
    return buffer || !some || !bytes || !is_predefined(type) ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

/* One type and one operation: the same on all ranks. */
static int check_reduction(const Collective *call)
{
    MPI_Aint lower, extent;
    if (call->op == MPI_OP_NULL)
        return MPI_ERR_OP;
    if (bytes_of(call->recv_type) < 0 ||
        PMPI_Type_get_extent(call->recv_type, &lower, &extent) != MPI_SUCCESS || extent < 0)
        return MPI_ERR_TYPE;
#if MPI_VERSION < 2 || (MPI_VERSION == 2 && MPI_SUBVERSION < 2)
    return reduce_local(NULL, NULL, 0, call->recv_type, call->op);
#else
    return is_reducible(call->recv_type, call->op) ? MPI_SUCCESS : MPI_ERR_OP;
#endif
}

static int check_in_place(const Collective *call, bool root)
{
    if (call->send == MPI_IN_PLACE && !may_be_in_place(call, root))
        return MPI_ERR_BUFFER;
    if (call->recv == MPI_IN_PLACE && !(call->operation == SCATTER && root))
        return MPI_ERR_BUFFER;
    /* Empty buffers may well be one; of a v-variant the library looks more closely than we do. */
    const bool same = call->send == call->recv && call->send && !call->varies &&
                      sends(call, root) && receives(call, root) && call->send_count &&
                      call->recv_count;
    return same ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int check_arguments(const Collective *call, const Communicator *c)
{
    const bool root = call->root == c->rank;
    int code = MPI_SUCCESS;
    if (call->operation == BARRIER)
        return code;
    if (call->root < 0 || call->root >= c->ranks)
        return MPI_ERR_ROOT;
    code = check_in_place(call, root);
    if (code == MPI_SUCCESS && sends(call, root))
        code = check_blocks(call->send, call->send_type, call->send_count, call->send_counts,
                            c->ranks);
    if (code == MPI_SUCCESS && receives(call, root))
        code = check_blocks(call->recv, call->recv_type, call->recv_count, call->recv_counts,
                            c->ranks);
    return code == MPI_SUCCESS && reduces(call->operation) ? check_reduction(call) : code;
}

static bool commutes(MPI_Op op)
{
#if MPI_VERSION < 2 || (MPI_VERSION == 2 && MPI_SUBVERSION < 2)
    (void)op; /* only predefined ones are plausible */
    return true;
#else
    int answer = 0;
    return PMPI_Op_commutative(op, &answer) == MPI_SUCCESS && answer;
#endif
}

static int64_t *scaled(Numbers numbers, int ranks, int64_t factor)
{
    int64_t *result = calloc((size_t)ranks, sizeof *result);
    for (int r = 0; result && numbers.array && r < ranks; r++)
        result[r] = number(numbers, r) * factor;
    return result;
}

/* The lengths of blocks that differ, as far as this rank knows them: in bytes, or in elements where
 * something is reduced. */
static bool describe_lengths(const Collective *call, const Communicator *c, Problem *p)
{
    const bool root = call->root == c->rank;
    Numbers none = {0}, from = call->recv_counts;
    int64_t *lengths, *sent = NULL, factor = p->element_bytes;
    if (moves_only(call->operation)) {
        if (call->operation == SCATTER)
            from = call->send_counts;
        factor = bytes_of(call->operation == SCATTER ? call->send_type : call->recv_type);
        if ((call->operation == SCATTER || call->operation == GATHER) && !root)
            from = none;
    } else {
        factor = 1;
    }
    lengths = scaled(from, c->ranks, factor);
    p->counts = lengths;
    if (lengths && call->operation == GATHER && !root)
        lengths[c->rank] = call->send_count * bytes_of(call->send_type);
    if (lengths && call->operation == SCATTER && !root)
        lengths[c->rank] = call->recv_count * bytes_of(call->recv_type);
    if (call->operation == ALLTOALL) {
        const bool in_place = call->send == MPI_IN_PLACE;
        sent = in_place ? scaled(from, c->ranks, factor)
                        : scaled(call->send_counts, c->ranks, bytes_of(call->send_type));
        p->send_counts = sent;
    }
    return lengths && (sent || call->operation != ALLTOALL);
}

/* The bytes of one block that is as long on all ranks. */
static int64_t block_bytes(const Collective *call, bool root)
{
    const bool by_send = call->operation == GATHER    ? call->send != MPI_IN_PLACE
                         : call->operation == SCATTER ? root
                                                      : false;
    return by_send ? call->send_count * bytes_of(call->send_type)
                   : call->recv_count * bytes_of(call->recv_type);
}

static int64_t sum(const int64_t *lengths, int ranks)
{
    int64_t total = 0;
    for (int r = 0; r < ranks; r++)
        total += lengths[r];
    return total;
}

bool describe(const Collective *call, const Communicator *c, Question *q, Problem *p)
{
    const bool varies = call->varies, moves = moves_only(call->operation);
    *p = (Problem){.operation = call->operation,
                   .rank = c->rank,
                   .ranks = c->ranks,
                   .root = call->root,
                   .commutative = moves || call->operation == BARRIER || commutes(call->op),
                   .element_bytes =
                       moves || call->operation == BARRIER ? 1 : bytes_of(call->recv_type),
                   .network = c->network};
    *q = (Question){.operation = call->operation,
                    .ranks = c->ranks,
                    .sites = c->network ? c->network->sites : 1,
                    .commutative = p->commutative,
                    .equal_blocks = !varies,
                    .counts_known = true};
    if (call->operation == BARRIER)
        return true;
    if (varies) {
        if (!describe_lengths(call, c, p))
            return false;
        const bool known = call->operation == ALLGATHER || call->operation == REDUCE_SCATTER;
        q->bytes = known ? sum(p->counts, c->ranks) * p->element_bytes : -1;
        q->counts_known = known || !call->request;
        if (call->operation == ALLGATHER)
            q->bytes /= c->ranks;
    } else {
        const int64_t bytes = block_bytes(call, call->root == c->rank);
        p->count = moves ? bytes : call->recv_count;
        q->bytes = call->operation == REDUCE_SCATTER ? bytes * c->ranks : bytes;
    }
    return true;
}

int share_counts(const Communicator *c, Problem *p)
{
    const size_t row = (size_t)c->ranks * sizeof(int64_t);
    int64_t *counts = (int64_t *)p->counts;
    if (p->operation == SCATTER)
        return PMPI_Bcast(counts, c->ranks, MPI_LONG_LONG_INT, p->root, c->own);
    if (p->operation == GATHER) {
        int64_t own = counts[c->rank];
        return PMPI_Allgather(&own, 1, MPI_LONG_LONG_INT, counts, 1, MPI_LONG_LONG_INT, c->own);
    }
    if (p->operation != ALLTOALL)
        return MPI_SUCCESS;
    int64_t *matrix = malloc(row * (size_t)c->ranks);
    if (!matrix)
        return MPI_ERR_NO_MEM;
    const int code = PMPI_Allgather((void *)p->send_counts, c->ranks, MPI_LONG_LONG_INT, matrix,
                                    c->ranks, MPI_LONG_LONG_INT, c->own);
    free(counts);
    p->counts = matrix;
    return code;
}

void release_problem(Problem *p)
{
    free((void *)p->counts);
    free((void *)p->send_counts);
    p->counts = p->send_counts = NULL;
}
