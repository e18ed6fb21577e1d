#include "operations.h"
#include "../interpose/held.h"
#include "calls.h"
#include "communicators.h"
#include <stdlib.h>

/* The operations of MPI-1 on C's basic types, as for libraries without MPI_Reduce_local. */
#undef MPI_VERSION
#define MPI_VERSION 1
#define reduce_local reduce_predefined
#include "../execution/local_reduction.c"

enum { PREDEFINED = 1024 };

/* What the program has made; one that is freed may still be in use. */
typedef struct Made Made;
struct Made {
    MPI_Op op;
    MPI_User_function *function; /* NULL: it takes a large count */
    int commutes;
    Made *next;
};
static Made *made;

/* Trying MPI_Reduce_local would be an error, for whatever handler is in charge of it. */
void look_for_reductions(void)
{
    int version = 0, subversion = 0;
    below.Get_version(&version, &subversion);
    world.old_library = version < 2;
}

static const Made *made_as(MPI_Op op)
{
    const Made *m = made;
    while (m && m->op != op)
        m = m->next;
    return m;
}

int call_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    const int code = below.Op_create(user_fn, commute, op);
    if (code != MPI_SUCCESS || !world.old_library)
        return code;
    Made *m = malloc(sizeof *m);
    if (!m)
        return fail(NULL, MPI_ERR_NO_MEM);
    *m = (Made){*op, user_fn, commute, made};
    made = m;
    return MPI_SUCCESS;
}

int call_Op_commutative(MPI_Op op, int *commute)
{
    const Made *m = world.old_library ? made_as(op) : NULL;
    if (!world.old_library)
        return below.Op_commutative(op, commute);
    *commute = m ? m->commutes : (uintptr_t)op < PREDEFINED;
    return MPI_SUCCESS;
}

int call_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype,
                      MPI_Op op)
{
    const Made *m = world.old_library ? made_as(op) : NULL;
    if (!world.old_library)
        return below.Reduce_local(inbuf, inoutbuf, count, datatype, op);
    if (!m)
        return reduce_predefined(inbuf, inoutbuf, count, datatype, op);
    m->function((void *)inbuf, inoutbuf, &count, &datatype);
    return MPI_SUCCESS;
}

int call_Type_free(MPI_Datatype *datatype)
{
    return free_type(datatype);
}

int call_Op_free(MPI_Op *op)
{
    return free_op(op);
}
