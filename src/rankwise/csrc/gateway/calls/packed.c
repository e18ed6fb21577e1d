/* MPI_Pack and MPI_Unpack for messages to processes that represent data in another way: what is
 * packed is external32, and goes as it is. */
#include "calls.h"
#include "communicators.h"
#include "external32.h"
#include "packing.h"
#include "types.h"
#include <stdlib.h>
#include <string.h>

static bool packs_external(MPI_Comm comm)
{
    const Joined *j = joined_of(comm);
    return j && j->external;
}

int call_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
                MPI_Count outsize, MPI_Count *position, MPI_Comm comm)
{
    const MPI_Count from = *position;
    const int code = below.Pack_c(inbuf, incount, datatype, outbuf, outsize, position, comm);
    if (code != MPI_SUCCESS || !packs_external(comm))
        return code;
    return fail(joined_of(comm),
                to_external((char *)outbuf + from, (uint64_t)(*position - from), datatype));
}

int call_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
                  MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)
{
    const int64_t bytes = outcount * facts_of(datatype).bytes;
    if (!packs_external(comm) || bytes <= 0 || *position < 0 || bytes > insize - *position)
        return below.Unpack_c(inbuf, insize, position, outbuf, outcount, datatype, comm);
    MPI_Count own_position = 0;
    char *copy = malloc((size_t)bytes);
    if (!copy)
        return fail(joined_of(comm), MPI_ERR_NO_MEM);
    memcpy(copy, (const char *)inbuf + *position, (size_t)bytes);
    int code = fail(joined_of(comm), from_external(copy, (uint64_t)bytes, datatype));
    if (code == MPI_SUCCESS)
        code = below.Unpack_c(copy, bytes, &own_position, outbuf, outcount, datatype, comm);
    free(copy);
    *position += own_position;
    return code;
}

int call_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
              int *position, MPI_Comm comm)
{
    MPI_Count at = *position;
    if (!packs_external(comm))
        return below.Pack(inbuf, incount, datatype, outbuf, outsize, position, comm);
    const int code = call_Pack_c(inbuf, incount, datatype, outbuf, outsize, &at, comm);
    *position = (int)at;
    return code;
}

int call_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
                MPI_Datatype datatype, MPI_Comm comm)
{
    MPI_Count at = *position;
    if (!packs_external(comm))
        return below.Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm);
    const int code = call_Unpack_c(inbuf, insize, &at, outbuf, outcount, datatype, comm);
    *position = (int)at;
    return code;
}
