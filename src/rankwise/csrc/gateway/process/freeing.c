#include "../interpose/freeing.h"
#include "gateway.h"

int really_free_type(MPI_Datatype *type)
{
    return below.Type_free(type);
}

int really_free_op(MPI_Op *op)
{
    return below.Op_free(op);
}
