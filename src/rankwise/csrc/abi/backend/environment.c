/* Versions, and the fields of a status. */
#include <stdio.h>

#include "backend.h"

int call_Get_library_version(char *version, int *resultlen)
{
#ifdef KNOWS_Get_library_version
    return from_code(PMPI_Get_library_version(version, resultlen));
#else
    *resultlen = snprintf(version, ABI_MAX_LIBRARY_VERSION_STRING, "%s", BUILT_FOR);
    return ABI_SUCCESS;
#endif
}

int call_Abi_get_version(int *abi_major, int *abi_minor)
{
    *abi_major = ABI_ABI_VERSION;
    *abi_minor = ABI_ABI_SUBVERSION;
    return ABI_SUCCESS;
}

int call_Abi_get_info(ABI_Info *info)
{
    static const struct {
        const char *key;
        size_t bytes;
    } sizes[] = {{"mpi_aint_size", sizeof(ABI_Aint)},
                 {"mpi_count_size", sizeof(ABI_Count)},
                 {"mpi_offset_size", sizeof(ABI_Offset)}};
    MPI_Info made = MPI_INFO_NULL;
    int code = PMPI_Info_create(&made);
    for (size_t i = 0; !code && i < sizeof sizes / sizeof *sizes; i++) {
        char value[8];
        snprintf(value, sizeof value, "%zu", sizes[i].bytes);
        code = PMPI_Info_set(made, (char *)sizes[i].key, value);
    }
    if (!code)
        *info = from_Info(made);
    return from_code(code);
}

/* Of Fortran nothing is known before somebody says it, and nobody can say it here. */
int call_Abi_get_fortran_info(ABI_Info *info)
{
    *info = ABI_INFO_NULL;
    return ABI_SUCCESS;
}

int call_Abi_set_fortran_info(ABI_Info info)
{
    (void)info;
    return refuse_Comm(ABI_ERR_ABI, MPI_COMM_SELF);
}

int call_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false,
                                  int *is_set)
{
    (void)logical_size, (void)logical_true, (void)logical_false;
    *is_set = 0;
    return ABI_SUCCESS;
}

int call_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false)
{
    (void)logical_size, (void)logical_true, (void)logical_false;
    return refuse_Comm(ABI_ERR_ABI, MPI_COMM_SELF);
}

ABI_Aint call_Aint_add(ABI_Aint base, ABI_Aint displacement)
{
    return base + displacement;
}

ABI_Aint call_Aint_diff(ABI_Aint one, ABI_Aint other)
{
    return one - other;
}

#define FIELD(name, FIELD_NAME)                                                                    \
    int call_Status_get_##name(const ABI_Status *status, int *name)                                \
    {                                                                                              \
        *name = status->FIELD_NAME;                                                                \
        return ABI_SUCCESS;                                                                        \
    }                                                                                              \
    int call_Status_set_##name(ABI_Status *status, int name)                                       \
    {                                                                                              \
        status->FIELD_NAME = name;                                                                 \
        return ABI_SUCCESS;                                                                        \
    }

FIELD(source, MPI_SOURCE)
FIELD(tag, MPI_TAG)
FIELD(error, MPI_ERROR)
