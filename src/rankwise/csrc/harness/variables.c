/* Control variables of the library (MPI_T): writing them on this rank, and writing back what they
 * were. */
#include "harness.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 3
const char *variables_unsupported(void)
{
    return NULL;
}

bool open_variables(const Job *job)
{
    int provided;
    return MPI_T_init_thread(job->multithreaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                             &provided) == MPI_SUCCESS;
}

void close_variables(void)
{
    MPI_T_finalize();
}

/* Why an access failed, in words that go on after the variable's name. */
static const char *words_of(int error)
{
    switch (error) {
    case MPI_T_ERR_CVAR_SET_NOT_NOW:
        return "cannot be written any more";
    case MPI_T_ERR_CVAR_SET_NEVER:
        return "cannot be written at run time";
    case MPI_T_ERR_OUT_OF_HANDLES:
    case MPI_T_ERR_MEMORY:
        return "cannot be accessed: no memory";
    default:
        return "does not take this value";
    }
}

typedef struct {
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
} Access;

/* False: `why` says it, in words that go on after the variable's name. */
static bool open_access(const char *name, Access *access, const char **why)
{
    int index, verbosity, binding, scope, count = 0, name_bytes = 0, description_bytes = 0;
    MPI_T_enum items;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) {
        *why = "is no control variable of this library";
        return false;
    }
    int error = MPI_T_cvar_get_info(index, NULL, &name_bytes, &verbosity, &access->type, &items,
                                    NULL, &description_bytes, &binding, &scope);
    if (error == MPI_SUCCESS && binding == MPI_T_BIND_NO_OBJECT)
        error = MPI_T_cvar_handle_alloc(index, NULL, &access->handle, &count);
    if (error != MPI_SUCCESS || binding != MPI_T_BIND_NO_OBJECT) {
        *why = error == MPI_SUCCESS ? "belongs to one object, not to the library" : words_of(error);
        return false;
    }
    if (count > (access->type == MPI_CHAR ? VALUE_BYTES - 1 : 1)) {
        *why = "has more than one value, or too long a one";
        MPI_T_cvar_handle_free(&access->handle);
        return false;
    }
    return true;
}

/* The text as a value of this type; false: it is none. */
static bool scan_value(const char *text, MPI_Datatype type, VariableValue *value)
{
    char *rest;
    if (type == MPI_CHAR) {
        snprintf(value->as_text, sizeof value->as_text, "%s", text);
        return true;
    }
    errno = 0;
    const long long number = strtoll(text, &rest, 10);
    if (rest == text || *rest || errno || (number < 0 && type != MPI_INT))
        return false;
    if (type == MPI_INT)
        value->as_int = (int)number;
    else if (type == MPI_UNSIGNED)
        value->as_unsigned = (unsigned)number;
    else if (type == MPI_UNSIGNED_LONG)
        value->as_unsigned_long = (unsigned long)number;
    else if (type == MPI_UNSIGNED_LONG_LONG)
        value->as_unsigned_long_long = (unsigned long long)number;
    else if (type == MPI_C_BOOL)
        value->as_bool = number != 0;
    else
        return false;
    return (type != MPI_INT || (number >= INT_MIN && number <= INT_MAX)) &&
           (type != MPI_UNSIGNED || number <= UINT_MAX);
}

static bool write_variable(const Variable *asked, VariableValue *former, const char **why)
{
    Access access;
    VariableValue value;
    if (!open_access(asked->name, &access, why))
        return false;
    int error = MPI_SUCCESS;
    const bool fits = scan_value(asked->value, access.type, &value);
    if (fits)
        error = MPI_T_cvar_read(access.handle, former);
    if (fits && error == MPI_SUCCESS)
        error = MPI_T_cvar_write(access.handle, &value);
    MPI_T_cvar_handle_free(&access.handle);
    *why = fits ? words_of(error) : "does not take this value";
    return fits && error == MPI_SUCCESS;
}

void restore_variables(Job *job)
{
    for (; job->written; job->written--) {
        const char *name = job->candidate->variables[job->written - 1].name, *why = NULL;
        Access access;
        if (!open_access(name, &access, &why) ||
            MPI_T_cvar_write(access.handle, &job->former[job->written - 1]) != MPI_SUCCESS)
            end_job(job, "cannot write back the former value of a control variable");
        MPI_T_cvar_handle_free(&access.handle);
    }
}

bool write_variables(Job *job, char *reason, size_t bytes)
{
    const CandidateRequest *asked = job->candidate;
    while (asked && job->written < asked->count) {
        const Variable *one = &asked->variables[job->written];
        const char *why;
        if (!write_variable(one, &job->former[job->written], &why)) {
            snprintf(reason, bytes, "%s=%s: %s %s", one->name, one->value, one->name, why);
            restore_variables(job);
            return false;
        }
        job->written++;
    }
    return true;
}
#else
const char *variables_unsupported(void)
{
    return "switching candidates needs the control variables of MPI 3.0; this library has "
           "MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION);
}

bool open_variables(const Job *job)
{
    (void)job;
    return true; /* each cell says it */
}

void close_variables(void)
{
}

void restore_variables(Job *job)
{
    (void)job;
}

bool write_variables(Job *job, char *reason, size_t bytes)
{
    (void)job, (void)reason, (void)bytes;
    return true;
}
#endif

void rewrite_variables(Job *job)
{
    char reason[FAILURE_BYTES];
    if (!write_variables(job, reason, sizeof reason))
        end_job(job, reason);
}
