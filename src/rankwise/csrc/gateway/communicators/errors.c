/* Errors of ours: a class of the standard's for the communicator's handler, and words of our own
 * for functions that do not exist across sites. */
#include "calls.h"
#include "communicators.h"
#include <stdio.h>

enum { REFUSALS = 12288 }; /* + number of the function: codes that no backend uses */

static bool is_predefined(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT ||
           handler == MPI_ERRORS_RETURN;
}

static bool is_fatal(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
    if (below.Comm_get_errhandler(comm, &handler) != MPI_SUCCESS)
        return true;
    const bool fatal = handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
    if (!is_predefined(handler))
        below.Errhandler_free(&handler);
    return fatal;
}

void inherit_handler(MPI_Comm from, MPI_Comm to)
{
    MPI_Errhandler handler;
    if (below.Comm_get_errhandler(from, &handler) != MPI_SUCCESS)
        return;
    below.Comm_set_errhandler(to, handler);
    if (!is_predefined(handler))
        below.Errhandler_free(&handler);
}

int fail(const Joined *j, int code)
{
    if (code != MPI_SUCCESS)
        below.Comm_call_errhandler(j ? j->local : MPI_COMM_WORLD, code);
    return code;
}

static int words(int function, char *text, size_t room)
{
    return snprintf(text, room, "%s: not possible on a communicator across sites",
                    function_names[function]);
}

int refuse_call(MPI_Comm comm, int function)
{
    if (is_fatal(comm)) {
        char text[MPI_MAX_ERROR_STRING];
        words(function, text, sizeof text);
        fprintf(stderr, "libmpi_abi: %s\n", text);
    }
    below.Comm_call_errhandler(comm, MPI_ERR_UNSUPPORTED_OPERATION);
    return REFUSALS + function;
}

int refuse_to_begin(MPI_Errhandler handler, int function)
{
    if (handler == MPI_ERRORS_RETURN)
        return REFUSALS + function;
    stop("%s: not possible in a joined job: use MPI_Init", function_names[function]);
}

static bool is_refusal(int code)
{
    return code >= REFUSALS && code < REFUSALS + FUNCTIONS;
}

int call_Error_class(int errorcode, int *errorclass)
{
    if (!is_refusal(errorcode))
        return below.Error_class(errorcode, errorclass);
    *errorclass = MPI_ERR_UNSUPPORTED_OPERATION;
    return MPI_SUCCESS;
}

int call_Error_string(int errorcode, char *string, int *resultlen)
{
    if (!is_refusal(errorcode))
        return below.Error_string(errorcode, string, resultlen);
    *resultlen = words(errorcode - REFUSALS, string, MPI_MAX_ERROR_STRING);
    return MPI_SUCCESS;
}
