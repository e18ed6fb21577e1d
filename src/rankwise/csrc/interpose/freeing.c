#include "freeing.h"

int really_free_type(MPI_Datatype *type)
{
    return PMPI_Type_free(type);
}

int really_free_op(MPI_Op *op)
{
    return PMPI_Op_free(op);
}
