/* Error handlers of the program's own: the MPI calls a function of ours, which calls the program's.
 */
#include "backend.h"
#include "pool.h"

#define HANDLERS(Kind)                                                                             \
    static Pool of_##Kind;                                                                         \
    static void run_##Kind(int number, MPI_##Kind *handle, int *code)                              \
    {                                                                                              \
        ABI_##Kind abi = from_##Kind(*handle);                                                     \
        int told = told_instead() ? told_instead() : from_error(*code);                            \
        ((ABI_##Kind##_errhandler_function *)of_##Kind.functions[number])(&abi, &told);            \
    }                                                                                              \
    POOL(Kind##_HANDLER)                                                                           \
    static void (*const functions_##Kind[])(MPI_##Kind *, int *, ...) = {POOL(Kind##_NAME)};       \
    int call_##Kind##_create_errhandler(ABI_##Kind##_errhandler_function *function,                \
                                        ABI_Errhandler *errhandler)                                \
    {                                                                                              \
        const int number = pool_number(&of_##Kind, (AnyFunction *)function);                       \
        MPI_Errhandler made = MPI_ERRHANDLER_NULL;                                                 \
        if (number < 0)                                                                            \
            return refuse_Comm(ABI_ERR_NO_MEM, MPI_COMM_SELF);                                     \
        const int code =                                                                           \
            PMPI_##Kind##_create_errhandler(functions_##Kind[number], errhandler ? &made : NULL);  \
        if (!code && errhandler)                                                                   \
            *errhandler = from_Errhandler(made);                                                   \
        return from_code(code);                                                                    \
    }
#define HANDLER(Kind, n)                                                                           \
    static void Kind##_##n(MPI_##Kind *handle, int *code, ...)                                     \
    {                                                                                              \
        run_##Kind(n, handle, code);                                                               \
    }
#ifdef MIRROR /* nobody can call it */
#define UNAVAILABLE(Kind)
#else
#define UNAVAILABLE(Kind)                                                                          \
    int call_##Kind##_create_errhandler(ABI_##Kind##_errhandler_function *function,                \
                                        ABI_Errhandler *errhandler)                                \
    {                                                                                              \
        (void)function;                                                                            \
        (void)errhandler;                                                                          \
        return refuse_Comm(MISSING_##Kind##_create_errhandler, MPI_COMM_SELF);                     \
    }
#endif

#define Comm_HANDLER(n) HANDLER(Comm, n)
#define Comm_NAME(n) Comm_##n,
HANDLERS(Comm)

#ifdef KNOWS_Win_create_errhandler
#define Win_HANDLER(n) HANDLER(Win, n)
#define Win_NAME(n) Win_##n,
HANDLERS(Win)
#else
UNAVAILABLE(Win)
#endif

#ifdef KNOWS_File_create_errhandler
#define File_HANDLER(n) HANDLER(File, n)
#define File_NAME(n) File_##n,
HANDLERS(File)
#else
UNAVAILABLE(File)
#endif

#ifdef KNOWS_Session_create_errhandler
#define Session_HANDLER(n) HANDLER(Session, n)
#define Session_NAME(n) Session_##n,
HANDLERS(Session)
#else
UNAVAILABLE(Session)
#endif
