#include "packing.h"
#include "external32.h"
#include "gateway.h"
#include "types.h"
#include <stdlib.h>

/* A message to this process itself, which takes what no packing does. */
static int through_self(const void *sent, MPI_Count count, MPI_Datatype type, void *received,
                        MPI_Count room, MPI_Datatype received_type)
{
    static MPI_Comm own = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL, sending;
    int code = MPI_SUCCESS;
    if (own == MPI_COMM_NULL)
        code = below.Comm_split(MPI_COMM_SELF, 0, 0, &own);
    if (code == MPI_SUCCESS)
        code = below.Irecv_c(received, room, received_type, 0, 0, own, &request);
    if (code == MPI_SUCCESS)
        code = below.Isend_c(sent, count, type, 0, 0, own, &sending);
    if (code == MPI_SUCCESS)
        code = below.Wait(&sending, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        code = below.Wait(&request, MPI_STATUS_IGNORE);
    return code;
}

/* MPICH packs nothing from MPI_BOTTOM. */
static int pack_natively(const void *buffer, MPI_Count count, MPI_Datatype type, char *packed,
                         MPI_Count bytes)
{
    MPI_Count position = 0;
    if (buffer == MPI_BOTTOM && bytes > 0)
        return through_self(buffer, count, type, packed, bytes, MPI_PACKED);
    return below.Pack_c(buffer, count, type, packed, bytes, &position, MPI_COMM_SELF);
}

int pack(const void *buffer, MPI_Count count, MPI_Datatype type, uint64_t bytes, bool external,
         char **packed)
{
    *packed = malloc(bytes + 1);
    if (!*packed)
        return MPI_ERR_NO_MEM;
    int code = pack_natively(buffer, count, type, *packed, (MPI_Count)bytes);
    if (code == MPI_SUCCESS && external)
        code = to_external(*packed, bytes, type);
    if (code != MPI_SUCCESS) {
        free(*packed);
        *packed = NULL;
    }
    return code;
}

int unpack(const char *packed, uint64_t bytes, void *buffer, MPI_Count count, MPI_Datatype type)
{
    const int64_t each = facts_of(type).bytes;
    MPI_Count position = 0, whole = each > 0 ? (MPI_Count)(bytes / (uint64_t)each) : 0;
    if (whole >= count)
        whole = count;
    else if (each > 0 && bytes % (uint64_t)each) /* the last element is there only in part */
        return through_self(packed, (MPI_Count)bytes, MPI_PACKED, buffer, count, type);
    if (!whole)
        return MPI_SUCCESS;
    if (buffer == MPI_BOTTOM)
        return through_self(packed, (MPI_Count)(whole * each), MPI_PACKED, buffer, whole, type);
    return below.Unpack_c(packed, (MPI_Count)(whole * each), &position, buffer, whole, type,
                          MPI_COMM_SELF);
}
