/* Copies and reductions of elements, which may have gaps. */
#include "elements.h"
#include "local_reduction.h"
#include <limits.h>
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
    int size, error;
    e->call = *call;
    e->memory[INPUT_MEMORY] = (char *)call->input;
    e->memory[OUTPUT_MEMORY] = call->output;
    if ((error = PMPI_Type_get_extent(call->type, &low, &e->extent)) != MPI_SUCCESS)
        return error;
    if (!scratch && !local)
        return MPI_SUCCESS;
    if ((error = PMPI_Type_get_true_extent(call->type, &true_low, &true_extent)) != MPI_SUCCESS ||
        (error = PMPI_Type_size(call->type, &size)) != MPI_SUCCESS)
        return error;
    e->gapless = size == e->extent && size == true_extent && true_low == 0;
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
static int copy_packed(Elements *e, const char *from, char *to, int length)
{
    int needed, packed = 0, unpacked = 0, error;
    error = PMPI_Pack_size(length, e->call.type, e->call.comm, &needed);
    if (error == MPI_SUCCESS && needed > e->packed_bytes) {
        free(e->packed);
        e->packed = malloc((size_t)needed);
        e->packed_bytes = e->packed ? needed : 0;
        error = e->packed ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (error == MPI_SUCCESS)
        error =
            PMPI_Pack((void *)from, length, e->call.type, e->packed, needed, &packed, e->call.comm);
    if (error == MPI_SUCCESS)
        error = PMPI_Unpack(e->packed, packed, &unpacked, to, length, e->call.type, e->call.comm);
    return error;
}

int copy_elements(Elements *e, Place from, Place to, int64_t length)
{
    const char *source = address(e, from);
    char *target = address(e, to);
    int error = MPI_SUCCESS;
    if (!length || source == target)
        return MPI_SUCCESS;
    if (e->gapless) {
        memcpy(target, source, (size_t)length * (size_t)e->extent);
        return MPI_SUCCESS;
    }
    for (int64_t done = 0; done < length && error == MPI_SUCCESS; done += SLICE_ELEMENTS) {
        const int64_t left = length - done;
        error = copy_packed(e, source + done * e->extent, target + done * e->extent,
                            left < SLICE_ELEMENTS ? (int)left : SLICE_ELEMENTS);
    }
    return error;
}

int reduce_elements(const Elements *e, Place from, Place to, int64_t length)
{
    if (length > INT_MAX)
        return MPI_ERR_COUNT;
    return reduce_local(address(e, from), address(e, to), (int)length, e->call.type, e->call.op);
}
