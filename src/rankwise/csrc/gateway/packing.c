#include "packing.h"
#include "external32.h"
#include "gateway.h"
#include <stdlib.h>

static TypeFacts ask(MPI_Datatype type)
{
    TypeFacts facts = {-1, false};
    MPI_Count size = -1;
    MPI_Aint lower = 0, extent = 0;
    if (type == MPI_DATATYPE_NULL || below.Type_size_c(type, &size) != MPI_SUCCESS || size < 0)
        return facts;
    facts.bytes = size;
    facts.plain = is_predefined_type(type) &&
                  below.Type_get_extent(type, &lower, &extent) == MPI_SUCCESS && extent == size;
    return facts;
}

TypeFacts facts_of(MPI_Datatype type)
{
    static TypeFacts known[PREDEFINED];
    if (!is_predefined_type(type))
        return ask(type);
    TypeFacts *facts = &known[(uintptr_t)type];
    if (!facts->bytes)
        *facts = ask(type);
    return *facts;
}

int pack(const void *buffer, MPI_Count count, MPI_Datatype type, uint64_t bytes, bool external,
         char **packed)
{
    MPI_Count position = 0;
    *packed = malloc(bytes + 1);
    if (!*packed)
        return MPI_ERR_NO_MEM;
    int code =
        below.Pack_c(buffer, count, type, *packed, (MPI_Count)bytes, &position, MPI_COMM_SELF);
    if (code == MPI_SUCCESS && external)
        code = to_external(*packed, bytes, type);
    if (code != MPI_SUCCESS) {
        free(*packed);
        *packed = NULL;
    }
    return code;
}

/* The last element may be there only in part: that no unpacking takes, but a message to oneself. */
static int unpack_part(const char *packed, MPI_Count bytes, void *buffer, MPI_Count count,
                       MPI_Datatype type)
{
    static MPI_Comm own = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL, sending;
    int code = MPI_SUCCESS;
    if (own == MPI_COMM_NULL)
        code = below.Comm_split(MPI_COMM_SELF, 0, 0, &own);
    if (code == MPI_SUCCESS)
        code = below.Irecv_c(buffer, count, type, 0, 0, own, &request);
    if (code == MPI_SUCCESS)
        code = below.Isend_c(packed, bytes, MPI_PACKED, 0, 0, own, &sending);
    if (code == MPI_SUCCESS)
        code = below.Wait(&sending, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS)
        code = below.Wait(&request, MPI_STATUS_IGNORE);
    return code;
}

int unpack(const char *packed, uint64_t bytes, void *buffer, MPI_Count count, MPI_Datatype type)
{
    const int64_t each = facts_of(type).bytes;
    MPI_Count position = 0, whole = each > 0 ? (MPI_Count)(bytes / (uint64_t)each) : 0;
    if (whole >= count)
        whole = count;
    else if (each > 0 && bytes % (uint64_t)each)
        return unpack_part(packed, (MPI_Count)bytes, buffer, count, type);
    if (!whole)
        return MPI_SUCCESS;
    return below.Unpack_c(packed, (MPI_Count)(whole * each), &position, buffer, whole, type,
                          MPI_COMM_SELF);
}

int keep_type(MPI_Datatype *type, bool *kept)
{
    MPI_Datatype copy;
    if (is_predefined_type(*type))
        return MPI_SUCCESS;
    int code = below.Type_contiguous(1, *type, &copy); /* MPI_Type_dup would copy attributes */
    if (code == MPI_SUCCESS)
        code = below.Type_commit(&copy);
    if (code == MPI_SUCCESS) {
        *type = copy;
        *kept = true;
    }
    return code;
}
