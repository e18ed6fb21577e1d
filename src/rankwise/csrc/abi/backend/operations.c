/* Operations of the program's own: the MPI calls a function of ours, which calls the program's. */
#include <limits.h>

#include "backend.h"
#include "pool.h"

static Pool small, large; /* functions that take an int, and those that take an ABI_Count */

static void run_small(int number, void *in, void *inout, int *length, MPI_Datatype *type)
{
    ABI_Datatype datatype = from_Datatype(*type);
    ((ABI_User_function *)small.functions[number])(in, inout, length, &datatype);
}

#define OF_SMALL(n)                                                                                \
    static void small_##n(void *in, void *inout, int *length, MPI_Datatype *type)                  \
    {                                                                                              \
        run_small(n, in, inout, length, type);                                                     \
    }
#define NAME_SMALL(n) small_##n,
POOL(OF_SMALL)
static MPI_User_function *const small_functions[] = {POOL(NAME_SMALL)};

int call_Op_create(ABI_User_function *user_fn, int commute, ABI_Op *op)
{
    const int number = pool_number(&small, (AnyFunction *)user_fn);
    MPI_Op made = MPI_OP_NULL;
    if (number < 0)
        return refuse_Comm(ABI_ERR_NO_MEM, MPI_COMM_SELF);
    const int code = PMPI_Op_create(small_functions[number], commute, op ? &made : NULL);
    if (!code && op)
        *op = from_Op(made);
    return from_code(code);
}

#if defined(KNOWS_Op_create_c) || !defined(MIRROR)
#ifdef KNOWS_Op_create_c
#define LENGTH MPI_Count
#define CREATE PMPI_Op_create_c
#else
#define LENGTH int
#define CREATE PMPI_Op_create
#endif

static void run_large(int number, void *in, void *inout, ABI_Count length, MPI_Datatype *type)
{
    ABI_Datatype datatype = from_Datatype(*type);
    ((ABI_User_function_c *)large.functions[number])(in, inout, &length, &datatype);
}

#define OF_LARGE(n)                                                                                \
    static void large_##n(void *in, void *inout, LENGTH *length, MPI_Datatype *type)               \
    {                                                                                              \
        run_large(n, in, inout, *length, type);                                                    \
    }
#define NAME_LARGE(n) large_##n,
POOL(OF_LARGE)
static void (*const large_functions[])(void *, void *, LENGTH *,
                                       MPI_Datatype *) = {POOL(NAME_LARGE)};

int call_Op_create_c(ABI_User_function_c *user_fn, int commute, ABI_Op *op)
{
    const int number = pool_number(&large, (AnyFunction *)user_fn);
    MPI_Op made = MPI_OP_NULL;
    if (number < 0)
        return refuse_Comm(ABI_ERR_NO_MEM, MPI_COMM_SELF);
    const int code = CREATE(large_functions[number], commute, op ? &made : NULL);
    if (!code && op)
        *op = from_Op(made);
    return from_code(code);
}
#endif
