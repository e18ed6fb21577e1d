/* Datatypes: what is asked about them with large counts, and what they are made of. */
#include <limits.h>

#include "backend.h"

/* Bytes that came, by the size of a type: exact also where the library itself counts in int. */
int call_Get_count_c(const ABI_Status *status, ABI_Datatype datatype, ABI_Count *count)
{
    MPI_Status native;
    status_in(status, &native);
    const ABI_Count bytes = (ABI_Count)came_of(&native).bytes;
#ifdef KNOWS_Type_size_x
    MPI_Count size = 0;
    const int code = PMPI_Type_size_x(to_Datatype(datatype), &size);
#else
    int size = 0;
    const int code = PMPI_Type_size(to_Datatype(datatype), &size);
#endif
    if (code)
        return from_code(code);
    if (!count)
        return refuse_Comm(ABI_ERR_ARG, MPI_COMM_SELF);
    if (size == 0)
        *count = bytes ? ABI_UNDEFINED : 0;
    else
        *count = bytes % size ? ABI_UNDEFINED : bytes / size;
    return ABI_SUCCESS;
}

int call_Type_get_envelope_c(ABI_Datatype datatype, ABI_Count *integers, ABI_Count *addresses,
                             ABI_Count *large_counts, ABI_Count *datatypes, int *combiner)
{
#ifdef KNOWS_Type_get_envelope_c
    const int code =
        PMPI_Type_get_envelope_c(to_Datatype(datatype), (void *)integers, (void *)addresses,
                                 (void *)large_counts, (void *)datatypes, combiner);
#else
    int i = 0, a = 0, d = 0;
    const bool there = integers && addresses && large_counts && datatypes;
    const int code =
        PMPI_Type_get_envelope(to_Datatype(datatype), there ? &i : NULL, &a, &d, combiner);
    if (!code && there) {
        *integers = i;
        *addresses = a;
        *large_counts = 0;
        *datatypes = d;
    }
#endif
    if (!code && combiner)
        *combiner = from_combiner(*combiner);
    return from_code(code);
}

int call_Type_get_contents_c(ABI_Datatype datatype, ABI_Count max_integers, ABI_Count max_addresses,
                             ABI_Count max_large_counts, ABI_Count max_datatypes, int integers[],
                             ABI_Aint addresses[], ABI_Count large_counts[],
                             ABI_Datatype datatypes[])
{
    Scratch scratch SCRATCH_ENDS;
    scratch.blocks = NULL;
    scratch.used = 0;
    MPI_Datatype *const types =
        scratch_take(&scratch, (size_t)(max_datatypes + 1) * sizeof *types, false);
#ifdef KNOWS_Type_get_contents_c
    const int code = PMPI_Type_get_contents_c(to_Datatype(datatype), max_integers, max_addresses,
                                              max_large_counts, max_datatypes, integers,
                                              (void *)addresses, (void *)large_counts, types);
#else
    (void)max_large_counts, (void)large_counts;
    const int code =
        PMPI_Type_get_contents(to_Datatype(datatype), (int)max_integers, (int)max_addresses,
                               (int)max_datatypes, integers, (void *)addresses, types);
#endif
    if (code)
        return from_code(code);
    ABI_Count integer_count, address_count, large_count, type_count;
    int combiner;
    const int asked = call_Type_get_envelope_c(datatype, &integer_count, &address_count,
                                               &large_count, &type_count, &combiner);
    for (ABI_Count i = 0; !asked && i < type_count && i < max_datatypes; i++)
        datatypes[i] = from_Datatype(types[i]);
    if (!asked && (combiner == ABI_COMBINER_SUBARRAY || combiner == ABI_COMBINER_DARRAY))
        convert_contents(combiner == ABI_COMBINER_DARRAY, large_count > 0, integers, from_order,
                         from_distrib, from_darg);
    return asked;
}
