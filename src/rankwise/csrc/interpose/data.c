#include "data.h"
#include "held.h"
#include "in_place.h"
#include <stdlib.h>
#include <string.h>

static const Data nothing_held = {.held_type = MPI_DATATYPE_NULL, .held_op = MPI_OP_NULL};

bool is_predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

bool moves_only(Operation operation)
{
    return operation == BCAST || operation == GATHER || operation == SCATTER ||
           operation == ALLGATHER || operation == ALLTOALL;
}

bool reduces(Operation operation)
{
    return operation != BARRIER && !moves_only(operation);
}

static int64_t count_of(const Blocks *b, int block)
{
    return b->counts.array ? number(b->counts, block) : b->each;
}

static char *start_of(const Blocks *b, int block)
{
    return b->buffer +
           (b->starts.array ? number(b->starts, block) : block * b->each) * (int64_t)b->extent;
}

static Blocks blocks_of(const void *buffer, MPI_Datatype type, int blocks, int64_t each)
{
    MPI_Aint lower, extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    return (Blocks){.buffer = (char *)buffer,
                    .type = type,
                    .blocks = blocks,
                    .each = each,
                    .element_bytes = bytes_of(type),
                    .extent = extent};
}

/* Whether the elements of this type are their bytes, one after another. */
static bool plain(const Blocks *b)
{
    return is_predefined(b->type) && b->element_bytes == b->extent;
}

static bool is_packed(const Blocks *b)
{
    int64_t start = 0;
    if (!plain(b))
        return false;
    for (int i = 0; b->starts.array && i < b->blocks; i++) {
        if (count_of(b, i) && number(b->starts, i) != start)
            return false;
        start += count_of(b, i);
    }
    return true;
}

static int64_t total_bytes(const Blocks *b)
{
    int64_t elements = 0;
    for (int i = 0; i < b->blocks; i++)
        elements += count_of(b, i);
    return elements * b->element_bytes;
}

/* One block to or from packed bytes. */
static int move_block(const Blocks *b, int block, char *packed, bool back)
{
    const int64_t count = count_of(b, block), bytes = count * b->element_bytes;
    char *there = start_of(b, block);
    if (bytes == 0)
        return MPI_SUCCESS;
    if (plain(b)) {
        memcpy(back ? there : packed, back ? packed : there, (size_t)bytes);
        return MPI_SUCCESS;
    }
    return move_elements(there, count, b->type, b->element_bytes, packed, back);
}

static int move_blocks(const Blocks *b, char *packed, bool back)
{
    int code = MPI_SUCCESS;
    for (int i = 0; code == MPI_SUCCESS && i < b->blocks; i++) {
        code = move_block(b, i, packed, back);
        packed += count_of(b, i) * b->element_bytes;
    }
    return code;
}

static int64_t bytes_before(const Blocks *b, int block)
{
    Blocks before = *b;
    before.blocks = block;
    return total_bytes(&before);
}

/* The blocks that a rank reads and writes. In place, one of them has none. */
static void find_blocks(const Collective *call, int rank, int ranks, Blocks *from, Blocks *to)
{
    const bool root = rank == call->root,
               from_all = call->operation == SCATTER || call->operation == ALLTOALL;
    const bool to_all =
        call->operation == GATHER || call->operation == ALLGATHER || call->operation == ALLTOALL;
    const bool reads = (call->operation != SCATTER && call->operation != BCAST) || root;
    const bool writes = call->operation == GATHER ? root : call->operation != BCAST || !root;
    *from = *to = (Blocks){0};
    if (reads && call->send != MPI_IN_PLACE) {
        *from = blocks_of(call->send, call->send_type, from_all ? ranks : 1, call->send_count);
        from->counts = call->send_counts;
        from->starts = call->send_starts;
    }
    if (writes && call->recv != MPI_IN_PLACE) {
        *to = blocks_of(call->recv, call->recv_type, to_all ? ranks : 1, call->recv_count);
        to->counts = call->recv_counts;
        to->starts = call->recv_starts;
    }
}

static int pack(const Blocks *b, void **packed)
{
    *packed = malloc((size_t)total_bytes(b) + 1);
    return *packed ? move_blocks(b, *packed, false) : MPI_ERR_NO_MEM;
}

static int arrange_bytes(Data *data, const Collective *call, int rank, int ranks)
{
    Blocks from, to;
    int code = MPI_SUCCESS;
    find_blocks(call, rank, ranks, &from, &to);
    data->type = MPI_BYTE;
    data->element_bytes = 1;
    if (to.blocks && is_packed(&to)) {
        data->output = to.buffer;
    } else if (to.blocks) {
        data->output = data->packed_output = malloc((size_t)total_bytes(&to) + 1);
        data->back = to;
        code = data->packed_output ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (code == MPI_SUCCESS && from.blocks && is_packed(&from)) {
        data->input = from.buffer;
    } else if (code == MPI_SUCCESS && from.blocks) {
        code = pack(&from, &data->packed_input);
        data->input = data->packed_input;
    } else if (code == MPI_SUCCESS && call->operation == ALLTOALL) { /* in place */
        code = pack(&to, &data->packed_input);
        data->input = data->packed_input;
    } else if (code == MPI_SUCCESS && call->send == MPI_IN_PLACE && to.blocks) {
        char *own = (char *)data->output + bytes_before(&to, rank);
        if (data->packed_output)
            code = move_block(&to, rank, own, false);
        data->input = own;
    }
    if (code == MPI_SUCCESS && call->operation == SCATTER && call->recv == MPI_IN_PLACE)
        data->output = (char *)data->input + bytes_before(&from, rank);
    return code;
}

/* A copy of `count` elements with all that lies between them. */
static int copy_elements(Data *data, const void *buffer, int64_t count)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    PMPI_Type_get_extent(data->type, &lower, &extent);
    PMPI_Type_get_true_extent(data->type, &true_lower, &true_extent);
    const int64_t span = count ? (count - 1) * (int64_t)extent + true_extent : 0;
    char *copy = malloc((size_t)span + 1);
    if (!copy)
        return MPI_ERR_NO_MEM;
    memcpy(copy, (const char *)buffer + true_lower, (size_t)span);
    data->packed_input = copy;
    data->input = copy - true_lower;
    return MPI_SUCCESS;
}

static int arrange_elements(Data *data, const Collective *call, int rank, int ranks)
{
    data->type = call->recv_type;
    data->element_bytes = bytes_of(call->recv_type);
    data->input = call->send == MPI_IN_PLACE ? call->recv : call->send;
    data->output = call->operation == REDUCE && rank != call->root ? NULL : call->recv;
    if (call->operation != REDUCE_SCATTER || call->send != MPI_IN_PLACE)
        return MPI_SUCCESS;
    int64_t all = call->recv_counts.array ? 0 : call->recv_count * ranks;
    if (call->recv_counts.array)
        for (int r = 0; r < ranks; r++)
            all += number(call->recv_counts, r);
    return copy_elements(data, call->recv, all);
}

int arrange_data(Data *data, const Collective *call, int rank, int ranks)
{
    int code = MPI_SUCCESS;
    *data = nothing_held;
    data->type = MPI_BYTE;
    data->element_bytes = 1;
    if (moves_only(call->operation))
        code = arrange_bytes(data, call, rank, ranks);
    else if (call->operation != BARRIER)
        code = arrange_elements(data, call, rank, ranks);
    if (code != MPI_SUCCESS)
        return_data(data, code);
    return code;
}

int represent_data(Data *data, const Collective *call, int rank, int ranks, Convert *there,
                   Convert *back)
{
    Blocks from, to;
    if (!moves_only(call->operation))
        return MPI_SUCCESS;
    find_blocks(call, rank, ranks, &from, &to);
    const bool whole = from.blocks > 0, alltoall = call->operation == ALLTOALL;
    const Blocks *in = whole ? &from : &to;
    int64_t bytes = 0; /* of the input */
    if (whole || (alltoall && to.blocks))
        bytes = total_bytes(in);
    else if (call->send == MPI_IN_PLACE && to.blocks)
        bytes = count_of(&to, rank) * to.element_bytes;
    if (to.blocks) {
        data->convert_back = back;
        data->bytes_back = total_bytes(&to);
        data->type_back = to.type;
    }
    int code = MPI_SUCCESS;
    if (whole && !data->packed_input) {
        code = pack(&from, &data->packed_input);
        data->input = data->packed_input;
    }
    if (code == MPI_SUCCESS && call->operation == SCATTER && call->recv == MPI_IN_PLACE)
        data->output = (char *)data->input + bytes_before(&from, rank);
    return code == MPI_SUCCESS && bytes ? there((char *)data->input, (uint64_t)bytes, in->type)
                                        : code;
}

static int keep_numbers(Numbers *numbers, int count, void **kept)
{
    const size_t bytes = (size_t)count * (numbers->wide ? sizeof(int64_t) : sizeof(int));
    if (!numbers->array)
        return MPI_SUCCESS;
    *kept = malloc(bytes);
    if (!*kept)
        return MPI_ERR_NO_MEM;
    numbers->array = memcpy(*kept, numbers->array, bytes);
    return MPI_SUCCESS;
}

int keep_arguments(Data *data, const Collective *call, int ranks)
{
    const MPI_Datatype type = data->back.blocks ? data->back.type : data->type;
    int code = MPI_SUCCESS;
    if (!is_predefined(type) && (code = hold_type(type)) == MPI_SUCCESS)
        data->held_type = type;
    if (code == MPI_SUCCESS && reduces(call->operation) &&
        (code = hold_op(call->op)) == MPI_SUCCESS)
        data->held_op = call->op;
    if (code == MPI_SUCCESS && data->back.blocks)
        code = keep_numbers(&data->back.counts, ranks, &data->kept_counts);
    if (code == MPI_SUCCESS && data->back.blocks)
        code = keep_numbers(&data->back.starts, ranks, &data->kept_starts);
    return code;
}

int return_data(Data *data, int code)
{
    if (code == MPI_SUCCESS && data->convert_back)
        code = data->convert_back(data->output, (uint64_t)data->bytes_back,
                                  data->back.blocks ? data->back.type : data->type_back);
    if (code == MPI_SUCCESS && data->back.blocks)
        code = move_blocks(&data->back, data->packed_output, true);
    free(data->packed_input);
    free(data->packed_output);
    free(data->kept_counts);
    free(data->kept_starts);
    if (data->held_type != MPI_DATATYPE_NULL)
        release_type(data->held_type);
    if (data->held_op != MPI_OP_NULL)
        release_op(data->held_op);
    *data = nothing_held;
    return code;
}
