/* What an MPI calls in a program: operations, error handlers, attributes,
 * requests. */
#include "traps.h"

static int rank, ranks;

static void keep_larger(void *in, void *inout, int *length, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *length; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

#ifdef NONBLOCKING_COLLECTIVES
static void ignore(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}
#endif

#ifdef LARGE_COUNTS
static void add(void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (MPI_Count i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}
#endif

/* More operations than there are functions for them, and one that is freed before it is used. */
static void check_operations(void)
{
    MPI_Op op;
    int found = -1;
    for (int i = 0; i < 2000; i++) {
        MPI_Op_create(keep_larger, 1, &op);
        MPI_Op_free(&op);
    }
    CHECK(op == MPI_OP_NULL);
    MPI_Op_create(keep_larger, 1, &op);
    MPI_Allreduce(&rank, &found, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(found == ranks - 1);
#ifdef NONBLOCKING_COLLECTIVES
    MPI_Request request;
    found = -1;
    if (WORKS(MPI_Iallreduce(&rank, &found, 1, MPI_INT, op, MPI_COMM_WORLD, &request))) {
        MPI_Op_free(&op);
        for (int i = 0; i < 600; i++) {
            MPI_Op other;
            MPI_Op_create(ignore, 1, &other);
            MPI_Op_free(&other);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(found == ranks - 1);
    } else {
        MPI_Op_free(&op);
    }
#else
    MPI_Op_free(&op);
#endif
#ifdef LARGE_COUNTS
    for (int i = 0; i < 600; i++) {
        MPI_Op_create_c(add, 1, &op);
        MPI_Op_free(&op);
    }
    CHECK(WORKS(MPI_Op_create_c(add, 1, &op)));
    MPI_Allreduce(&rank, &found, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(found == ranks * (ranks - 1) / 2);
    MPI_Op_free(&op);
#endif
}

static int handled, told;

static void handle(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_SELF);
    handled++;
    told = *code;
}

static void check_errors(void)
{
    MPI_Errhandler handler, found;
    int code;
    CHECK(class_of(MPI_Send(NULL, 0, MPI_INT, ranks + 77, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    code = MPI_Send(NULL, 0, MPI_INT, 5, 0, MPI_COMM_SELF);
    CHECK(handled == 1 && class_of(told) == MPI_ERR_RANK);
    CHECK(!code ||
          class_of(code) == MPI_ERR_RANK); /* MPICH 5 thinks that a handler has mended it */
#if MPI_VERSION >= 2
    char words[MPI_MAX_ERROR_STRING];
    int class, length;
    const int calls = WORKS(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER));
    CHECK(!calls || (handled == 2 && told == MPI_ERR_OTHER));
#ifdef SESSION_BUFFERS
    code = MPI_Session_flush_buffer(MPI_SESSION_NULL); /* what few libraries have */
    if (class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION) {
        MPI_Error_string(code, words, &length);
        CHECK(!strncmp(words, "MPI_Session_flush_buffer:", 25) && length == (int)strlen(words));
        CHECK(!calls || (handled == 3 && told == code));
    }
#endif
#endif
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &found);
    CHECK(found == MPI_ERRORS_RETURN);
#if MPI_VERSION >= 2
    if (WORKS(MPI_Add_error_class(&class)) && WORKS(MPI_Add_error_code(class, &code))) {
        MPI_Add_error_string(code, "of the program's own");
        MPI_Error_string(code, words, &length);
        CHECK(class > MPI_ERR_LASTCODE && class_of(code) == class &&
              !strcmp(words, "of the program's own"));
    }
#endif
}

static int copies, deletions;

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    CHECK(comm == MPI_COMM_SELF && keyval == *(int *)extra);
    copies++;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_it(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)value;
    CHECK(keyval == *(int *)extra);
    deletions++;
    return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    return MPI_ERR_OTHER;
}

static void check_attributes(void)
{
    static char base[4];
    int keyval = MPI_KEYVAL_INVALID, duplicate, flag = 0;
    char *value = NULL;
    MPI_Comm twin;
    MPI_Comm_create_keyval(copy, delete_it, &keyval, &keyval);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &duplicate, NULL);
    const int kept = keyval;
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, base);
    MPI_Comm_set_attr(MPI_COMM_SELF, duplicate, base + 3);
    MPI_Comm_dup(MPI_COMM_SELF, &twin);
    CHECK(WORKS(MPI_Comm_get_attr(twin, keyval, &value, &flag)) && flag && value == base + 1 &&
          copies == 1);
    MPI_Comm_get_attr(twin, duplicate, &value, &flag);
    CHECK(flag && value == base + 3);
    MPI_Comm_free(&twin);
    CHECK(deletions == 1);
    MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
    MPI_Comm_delete_attr(MPI_COMM_SELF, duplicate);
    MPI_Comm_free_keyval(&keyval);
    CHECK(keyval == MPI_KEYVAL_INVALID && deletions == 2);
    keyval = kept;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &duplicate, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &twin);
    MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(twin, duplicate, base);
    CHECK(MPI_Comm_delete_attr(twin, duplicate) != MPI_SUCCESS);
}

#if MPI_VERSION >= 2
static int ended;

static int answer(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 5);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_PROC_NULL;
    status->MPI_TAG = 3;
    return MPI_SUCCESS;
}

static int end(void *extra)
{
    CHECK(extra == &ended);
    ended++;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void check_generalized_requests(void)
{
    MPI_Request request;
    MPI_Status status;
    int count = -1;
    if (!WORKS(MPI_Grequest_start(answer, end, cancel, &ended, &request)))
        return;
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(ended == 1 && count == 5 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == 3);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_operations();
    check_errors();
    check_attributes();
#if MPI_VERSION >= 2
    check_generalized_requests();
#endif
    report();
    MPI_Finalize();
    return 0;
}
