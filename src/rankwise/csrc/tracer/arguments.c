#include "arguments.h"

int64_t bytes_of(int64_t count, MPI_Datatype type)
{
    int size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size(type, &size);
    return count * size;
}

/* The standard ABI's header has no such conversions, nor has a program of it Fortran's handles. */
#ifndef STANDARD_ABI
static MPI_Status status_from_fortran(const void *array, int64_t index)
{
    MPI_Status status;
    PMPI_Status_f2c((MPI_Fint *)array + (size_t)index * MPI_F_STATUS_SIZE, &status);
    return status;
}

static MPI_Request request_from_fortran(const void *array, int64_t index)
{
    return PMPI_Request_f2c(((const MPI_Fint *)array)[index]);
}
#else
static MPI_Status status_from_fortran(const void *array, int64_t index)
{
    return ((const MPI_Status *)array)[index];
}

static MPI_Request request_from_fortran(const void *array, int64_t index)
{
    return ((const MPI_Request *)array)[index];
}
#endif

Match matched_by(const Array *status, int64_t index)
{
    MPI_Status c, *own = &c;
    int bytes = 0;
    if (status->fortran) {
        c = status_from_fortran(status->array, index);
    } else {
        own = (MPI_Status *)status->array + index;
    }
    const Match none = {MPI_COMM_NULL, our_rank(own->MPI_SOURCE), ANY, 0};
    if (none.source < 0) /* nothing was received */
        return none;
    PMPI_Get_count(own, MPI_BYTE, &bytes);
    return (Match){MPI_COMM_NULL, none.source, our_tag(own->MPI_TAG),
                   bytes == MPI_UNDEFINED ? 0 : bytes};
}

MPI_Request request_at(const Array *array, int64_t index)
{
    return array->fortran ? request_from_fortran(array->array, index)
                          : ((const MPI_Request *)array->array)[index];
}
