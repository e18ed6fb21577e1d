/* Copies and reductions of elements, which may have gaps. */
#include "elements.h"
#include "local_reduction.h"
#include <stdlib.h>
#include <string.h>

enum { SLICE_ELEMENTS = 4096 }; /* packed at once */

static int make_scratch(Elements *e, int64_t elements, MPI_Aint low, MPI_Aint true_extent)
{
    const MPI_Aint each = true_extent > e->extent ? true_extent : e->extent;
    const size_t bytes = (size_t)elements * (size_t)each;
    if (bytes > e->scratch_bytes) {
        free(e->scratch);
        e->scratch = malloc(bytes);
        e->scratch_bytes = e->scratch ? bytes : 0;
        if (!e->scratch)
            return MPI_ERR_NO_MEM;
    }
    e->memory[SCRATCH_MEMORY] = (char *)e->scratch - low;
    return MPI_SUCCESS;
}

int open_elements(Elements *e, const Call *call, int64_t scratch, bool local)
{
    MPI_Aint low, true_low, true_extent;
    int error;
    e->call = *call;
    e->memory[INPUT_MEMORY] = (char *)call->input;
    e->memory[OUTPUT_MEMORY] = call->output;
    if ((error = PMPI_Type_get_extent(call->type, &low, &e->extent)) != MPI_SUCCESS ||
        (error = (e->bytes = bytes_of(call->type)) < 0 ? MPI_ERR_TYPE : MPI_SUCCESS))
        return error;
    if (!scratch && !local)
        return MPI_SUCCESS;
    if ((error = PMPI_Type_get_true_extent(call->type, &true_low, &true_extent)) != MPI_SUCCESS)
        return error;
    e->gapless = e->bytes == e->extent && e->bytes == true_extent && true_low == 0;
    return scratch ? make_scratch(e, scratch, true_low, true_extent) : MPI_SUCCESS;
}

void close_elements(Elements *e)
{
    free(e->scratch);
    free(e->packed);
}

void leave_scratch(Elements *e)
{
    e->scratch = NULL;
    e->scratch_bytes = 0;
}

/* No message to oneself, which a program's own receive might take. */
static int copy_packed(Elements *e, char *from, char *to, int length)
{
    const size_t needed = (size_t)length * (size_t)e->bytes;
    int error = MPI_SUCCESS;
    if (needed > e->packed_bytes) {
        free(e->packed);
        e->packed = malloc(needed);
        e->packed_bytes = e->packed ? needed : 0;
        error = e->packed ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (error == MPI_SUCCESS)
        error = move_elements(from, length, e->call.type, e->bytes, e->packed, false);
    if (error == MPI_SUCCESS)
        error = move_elements(to, length, e->call.type, e->bytes, e->packed, true);
    return error;
}

int copy_elements(Elements *e, Place from, Place to, int64_t length)
{
    char *source = address(e, from), *target = address(e, to);
    int error = MPI_SUCCESS;
    if (!length || source == target)
        return MPI_SUCCESS;
    if (e->gapless) {
        memcpy(target, source, (size_t)length * (size_t)e->extent);
        return MPI_SUCCESS;
    }
    for (int64_t done = 0; done < length && error == MPI_SUCCESS;) {
        const int64_t left = length - done;
        const int part = part_of(e, left < SLICE_ELEMENTS ? left : SLICE_ELEMENTS);
        error = copy_packed(e, source + done * e->extent, target + done * e->extent, part);
        done += part;
    }
    return error;
}

int reduce_elements(const Elements *e, Place from, Place to, int64_t length)
{
    int error = MPI_SUCCESS;
    for (int64_t done = 0; done < length && error == MPI_SUCCESS;) {
        const int part = part_of(e, length - done);
        error = reduce_local(address(e, beyond(from, done)), address(e, beyond(to, done)), part,
                             e->call.type, e->call.op);
        done += part;
    }
    return error;
}
