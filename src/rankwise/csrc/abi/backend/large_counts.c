#include "large_counts.h"

enum { CHUNK = 1 << 30 };

/* `count` elements as one of a new type, whose extent is theirs: whole chunks, and what is left. */
static int make(ABI_Count count, MPI_Datatype type, MPI_Datatype *made)
{
    MPI_Aint extent = 0, lower = 0;
    MPI_Datatype parts[2], chunk;
    int lengths[2] = {(int)(count / CHUNK), (int)(count % CHUNK)};
    int code = PMPI_Type_contiguous(CHUNK, type, &chunk);
    if (code)
        return code;
    code = PMPI_Type_get_extent(type, &lower, &extent);
    MPI_Aint places[2] = {0, (MPI_Aint)(count - count % CHUNK) * extent};
    parts[0] = chunk;
    parts[1] = type;
#ifdef KNOWS_Type_create_struct
    code = code ? code : PMPI_Type_create_struct(2, lengths, places, parts, made);
#else
    code = code ? code : PMPI_Type_struct(2, lengths, places, parts, made);
#endif
    PMPI_Type_free(&chunk);
    return code ? code : PMPI_Type_commit(made);
}

Counted large_count(ABI_Count count, MPI_Datatype type)
{
    Counted counted = {.count = 1, .type = MPI_DATATYPE_NULL};
    counted.made = count > 0 && make(count, type, &counted.type) == MPI_SUCCESS;
    counted.failed = !counted.made;
    return counted;
}

/* A request that still needs the type keeps it. */
void counted_end(Counted *counted)
{
    if (counted->made)
        PMPI_Type_free(&counted->type);
}
