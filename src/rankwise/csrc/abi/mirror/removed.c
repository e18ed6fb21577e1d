/* Functions that MPI-3 removed, and that programs from before still call. */
#include "mirror.h"

#define REMOVED(name, ...)                                                                         \
    __attribute__((visibility("default"))) int removed_##name(__VA_ARGS__) __asm__("MPI_" #name);  \
    int removed_##name(__VA_ARGS__)

REMOVED(Address, const void *location, MPI_Aint *address)
{
    return to_code(abi_table.Get_address(from_buffer(location), (ABI_Aint *)address));
}

REMOVED(Errhandler_create, void (*function)(MPI_Comm *, int *, ...), MPI_Errhandler *errhandler)
{
    return call_Comm_create_errhandler(function, errhandler);
}

REMOVED(Errhandler_set, MPI_Comm comm, MPI_Errhandler errhandler)
{
    return to_code(abi_table.Comm_set_errhandler(from_Comm(comm), from_Errhandler(errhandler)));
}

REMOVED(Errhandler_get, MPI_Comm comm, MPI_Errhandler *errhandler)
{
    ABI_Errhandler found = ABI_ERRHANDLER_NULL;
    const int code = abi_table.Comm_get_errhandler(from_Comm(comm), &found);
    if (!code)
        *errhandler = to_Errhandler(found);
    return to_code(code);
}

static int extent(MPI_Datatype datatype, ABI_Aint *lower, ABI_Aint *size)
{
    return to_code(abi_table.Type_get_extent(from_Datatype(datatype), lower, size));
}

REMOVED(Type_extent, MPI_Datatype datatype, MPI_Aint *size)
{
    ABI_Aint lower;
    return extent(datatype, &lower, (ABI_Aint *)size);
}

REMOVED(Type_lb, MPI_Datatype datatype, MPI_Aint *lower)
{
    ABI_Aint size;
    return extent(datatype, (ABI_Aint *)lower, &size);
}

REMOVED(Type_ub, MPI_Datatype datatype, MPI_Aint *upper)
{
    ABI_Aint lower = 0, size = 0;
    const int code = extent(datatype, &lower, &size);
    *upper = (MPI_Aint)(lower + size);
    return code;
}

static int made(int code, ABI_Datatype datatype, MPI_Datatype *newtype)
{
    if (!code)
        *newtype = to_Datatype(datatype);
    return to_code(code);
}

REMOVED(Type_hvector, int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
        MPI_Datatype *newtype)
{
    ABI_Datatype type = ABI_DATATYPE_NULL;
    const int code =
        abi_table.Type_create_hvector(count, blocklength, stride, from_Datatype(oldtype), &type);
    return made(code, type, newtype);
}

REMOVED(Type_hindexed, int count, int lengths[], MPI_Aint places[], MPI_Datatype oldtype,
        MPI_Datatype *newtype)
{
    ABI_Datatype type = ABI_DATATYPE_NULL;
    const int code = abi_table.Type_create_hindexed(count, lengths, (ABI_Aint *)places,
                                                    from_Datatype(oldtype), &type);
    return made(code, type, newtype);
}

REMOVED(Type_struct, int count, int lengths[], MPI_Aint places[], MPI_Datatype types[],
        MPI_Datatype *newtype)
{
    ABI_Datatype type = ABI_DATATYPE_NULL;
    Scratch scratch SCRATCH_ENDS;
    scratch.blocks = NULL;
    scratch.used = 0;
    ABI_Datatype *const parts = scratch_take(&scratch, (size_t)(count + 1) * sizeof *parts, false);
    for (int i = 0; i < count; i++)
        parts[i] = from_Datatype(types[i]);
    const int code = abi_table.Type_create_struct(count, lengths, (ABI_Aint *)places, parts, &type);
    return made(code, type, newtype);
}
