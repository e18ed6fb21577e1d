/* Start of the MPI, and what it says of threads. */
#include "backend.h"

int call_Init(int *argc, char ***argv)
{
    return from_code(PMPI_Init(argc, argv));
}

int call_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int code = PMPI_Init_thread(argc, argv, to_thread(required), provided);
    *provided = from_thread(*provided);
    return from_code(code);
}

int call_Query_thread(int *provided)
{
    const int code = PMPI_Query_thread(provided);
    *provided = from_thread(*provided);
    return from_code(code);
}
