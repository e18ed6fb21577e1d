#include "pack.h"
#include <limits.h>

int64_t bytes_of(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL)
        return -1;
#if MPI_VERSION >= 4
    MPI_Count size;
    const int code = PMPI_Type_size_c(type, &size);
#elif MPI_VERSION == 3
    MPI_Count size;
    const int code = PMPI_Type_size_x(type, &size);
#else
    int size;
    const int code = PMPI_Type_size(type, &size);
#endif
    return code != MPI_SUCCESS || size == MPI_UNDEFINED ? -1 : size;
}

/* Of fewer than LONGEST_BYTES bytes, or one element. */
static int move_part(char *there, int count, MPI_Datatype type, char *packed, int64_t bytes,
                     bool back)
{
#if MPI_VERSION >= 4
    MPI_Count position = 0;
    return back ? PMPI_Unpack_c(packed, bytes, &position, there, count, type, MPI_COMM_SELF)
                : PMPI_Pack_c(there, count, type, packed, bytes, &position, MPI_COMM_SELF);
#else
    int position = 0;
    if (bytes > INT_MAX)
        return MPI_ERR_COUNT;
    return back ? PMPI_Unpack(packed, (int)bytes, &position, there, count, type, MPI_COMM_SELF)
                : PMPI_Pack(there, count, type, packed, (int)bytes, &position, MPI_COMM_SELF);
#endif
}

#if MPI_VERSION >= 2
/* MPICH packs nothing at MPI_BOTTOM: these are the same elements, seen from another address. */
static int move_from_bottom(int count, MPI_Datatype type, char *packed, int64_t bytes, bool back)
{
    MPI_Aint place;
    MPI_Datatype seen;
    PMPI_Get_address(packed, &place);
    place = -place;
    int code = PMPI_Type_create_hindexed(1, &count, &place, type, &seen);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Type_commit(&seen);
    if (code == MPI_SUCCESS)
        code = move_part(packed, 1, seen, packed, bytes, back);
    PMPI_Type_free(&seen);
    return code;
}
#else
static int move_from_bottom(int count, MPI_Datatype type, char *packed, int64_t bytes, bool back)
{
    return move_part(MPI_BOTTOM, count, type, packed, bytes, back);
}
#endif

int move_elements(char *there, int64_t count, MPI_Datatype type, int64_t element_bytes,
                  char *packed, bool back)
{
    MPI_Aint lower, extent;
    int code = PMPI_Type_get_extent(type, &lower, &extent);
    while (count > 0 && code == MPI_SUCCESS) {
        const int part = first_part(count, element_bytes);
        const int64_t bytes = part * element_bytes;
        code = there == MPI_BOTTOM ? move_from_bottom(part, type, packed, bytes, back)
                                   : move_part(there, part, type, packed, bytes, back);
        there += part * extent;
        packed += bytes;
        count -= part;
    }
    return code;
}
