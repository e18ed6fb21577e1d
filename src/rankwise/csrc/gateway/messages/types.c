#include "types.h"
#include "gateway.h"

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
