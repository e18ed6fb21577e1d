/* Operations and error handlers of Fortran: the table calls a function of ours, which calls the
   program's with Fortran's integers. */
#include "fortran.h"
#include "pool.h"

typedef void Reduction(void *, void *, MPI_Fint *, MPI_Fint *);
static Pool reductions;

#define REDUCTION(n)                                                                               \
    static void reduction_##n(void *in, void *inout, int *length, ABI_Datatype *datatype)          \
    {                                                                                              \
        MPI_Fint count = *length, type = MPI_Type_c2f(to_Datatype(*datatype));                     \
        ((Reduction *)reductions.functions[n])(in, inout, &count, &type);                          \
    }
#define REDUCTION_NAME(n) reduction_##n,
POOL(REDUCTION)
static ABI_User_function *const reduction_functions[] = {POOL(REDUCTION_NAME)};

FORTRAN(op_create, Reduction *function, MPI_Fint *commutes, MPI_Fint *op, MPI_Fint *code)
{
    const int number = pool_number(&reductions, (AnyFunction *)function);
    ABI_Op made = ABI_OP_NULL;
    *code = number < 0
                ? refuse_Comm(MPI_ERR_OTHER, ABI_COMM_SELF)
                : to_code(abi_table.Op_create(reduction_functions[number], *commutes != 0, &made));
    *op = MPI_Op_c2f(to_Op(made));
}

typedef void Handler(MPI_Fint *, MPI_Fint *);

#define HANDLERS(Kind, create)                                                                     \
    static Pool of_##Kind;                                                                         \
    POOL(Kind##_HANDLER)                                                                           \
    static ABI_##Kind##_errhandler_function *const functions_##Kind[] = {POOL(Kind##_NAME)};       \
    FORTRAN(create, Handler *function, MPI_Fint *errhandler, MPI_Fint *code)                       \
    {                                                                                              \
        const int number = pool_number(&of_##Kind, (AnyFunction *)function);                       \
        ABI_Errhandler made = ABI_ERRHANDLER_NULL;                                                 \
        *code =                                                                                    \
            number < 0                                                                             \
                ? refuse_Comm(MPI_ERR_OTHER, ABI_COMM_SELF)                                        \
                : to_code(abi_table.Kind##_create_errhandler(functions_##Kind[number], &made));    \
        *errhandler = MPI_Errhandler_c2f(to_Errhandler(made));                                     \
    }
#define HANDLER(Kind, n)                                                                           \
    static void Kind##_##n(ABI_##Kind *handle, int *code, ...)                                     \
    {                                                                                              \
        MPI_Fint number = MPI_##Kind##_c2f(to_##Kind(*handle)), told = to_error(*code);            \
        ((Handler *)of_##Kind.functions[n])(&number, &told);                                       \
    }

#define Comm_HANDLER(n) HANDLER(Comm, n)
#define Comm_NAME(n) Comm_##n,
HANDLERS(Comm, comm_create_errhandler)

#define Win_HANDLER(n) HANDLER(Win, n)
#define Win_NAME(n) Win_##n,
HANDLERS(Win, win_create_errhandler)

#define File_HANDLER(n) HANDLER(File, n)
#define File_NAME(n) File_##n,
HANDLERS(File, file_create_errhandler)

/* Of MPI-1. */
FORTRAN(errhandler_create, Handler *function, MPI_Fint *errhandler, MPI_Fint *code)
{
    mpi_comm_create_errhandler_(function, errhandler, code);
}
