/* Statuses, requests, arrays and large counts. */
#include "traps.h"

extern char **environ;
static int rank, ranks;

static void check_environment_and_strings(void)
{
    struct {
        char words[MPI_MAX_ERROR_STRING], guard[8];
    } text = {"", "guarded"};
    int length = -1, names = 0, value = -1;
    int *attribute = NULL;
    while (environ && environ[names])
        names++;
    CHECK(names > 3);
#if MPI_VERSION >= 3
    struct {
        char words[MPI_MAX_LIBRARY_VERSION_STRING], guard[8];
    } version = {"", "guarded"};
    CHECK(WORKS(MPI_Get_library_version(version.words, &length)));
    CHECK(!strcmp(version.guard, "guarded") &&
          length >= (int)strlen(version.words)); /* Open MPI counts the end too */
    if (rank == 0)
        printf("library %.40s\n", version.words);
#endif
    MPI_Error_string(MPI_ERR_TRUNCATE, text.words, &length);
    CHECK(!strcmp(text.guard, "guarded") && length > 3);
    MPI_Comm_set_name(MPI_COMM_WORLD, "w");
    CHECK(WORKS(MPI_Comm_get_name(MPI_COMM_WORLD, text.words, &length)) &&
          !strcmp(text.words, "w"));
    CHECK(WORKS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &attribute, &value)));
    CHECK(value && *attribute >= 32767);
    MPI_Query_thread(&value);
    CHECK(value == MPI_THREAD_SINGLE || value == MPI_THREAD_FUNNELED ||
          value == MPI_THREAD_SERIALIZED || value == MPI_THREAD_MULTIPLE);
#if MPI_VERSION >= 5
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT);
#endif
#ifndef MPI_ABI_VERSION /* whose C header leaves these to the one of Fortran */
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_INT)) == MPI_INT);
#endif
}

static void check_statuses(void)
{
    MPI_Status status;
    MPI_Request requests[2];
    int data[4] = {1, 2, 3, 4}, got[4] = {0}, count = -1, flag = -1;
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Irecv(got, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 3, MPI_INT, to, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Status both[2];
    CHECK(WORKS(MPI_Waitall(2, requests, both)));
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    CHECK(both[0].MPI_SOURCE == from && both[0].MPI_TAG == 7 && got[2] == 3);
    MPI_Get_count(&both[0], MPI_INT, &count);
    CHECK(count == 3);
#ifdef LARGE_COUNTS
    MPI_Count large = -1;
    MPI_Get_count_c(&both[0], MPI_INT, &large);
    CHECK(large == 3);
#endif
    MPI_Get_count(&both[0], MPI_DOUBLE, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Test_cancelled(&both[0], &flag);
    CHECK(flag == 0);
    MPI_Recv(got, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Irecv(got, 4, MPI_INT, from, 99, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag == 1);
#if MPI_VERSION >= 3
    if (WORKS(MPI_Status_set_elements_x(&status, MPI_BYTE, 12))) {
        MPI_Get_count(&status, MPI_INT, &count);
        CHECK(count == 3);
    }
#endif
    MPI_Sendrecv(data, 1, MPI_INT, to, 1, got, 4, MPI_INT, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

#ifdef SESSION_BUFFERS /* MPI-4.1, as these functions */
/* What has ended, without ending it: statuses are those of the request, or none. */
static void check_peeking(void)
{
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    int flag = -1, index = -1, count = -1, indices[2];
    statuses[0].MPI_ERROR = MPI_ERR_OTHER;
    if (!WORKS(MPI_Request_get_status(none[0], &flag, &statuses[0])))
        return;
    CHECK(flag && statuses[0].MPI_ERROR == MPI_SUCCESS);
    statuses[1].MPI_ERROR = MPI_ERR_OTHER;
    MPI_Request_get_status_any(2, none, &index, &flag, &statuses[1]);
    CHECK(flag && index == MPI_UNDEFINED && statuses[1].MPI_ERROR == MPI_SUCCESS);
    CHECK(statuses[1].MPI_SOURCE == MPI_ANY_SOURCE && statuses[1].MPI_TAG == MPI_ANY_TAG);
    index = flag = -1;
    MPI_Request_get_status_any(2, none, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 1 && index == MPI_UNDEFINED);
    MPI_Request_get_status_some(2, none, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count == MPI_UNDEFINED);
    MPI_Request_get_status_all(2, none, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag == 1);
}
#endif

/* Requests that ended at once may have one handle between them, and arrays of one must not go with
 * another. */
static void check_shared_requests(void)
{
    enum { MANY = 300 };
    MPI_Request requests[MANY];
#ifdef NONBLOCKING_COLLECTIVES
    MPI_Request with_arrays[8];
    MPI_Datatype *types = malloc((size_t)ranks * sizeof *types);
    int *counts = malloc((size_t)ranks * sizeof *counts),
        *places = malloc((size_t)ranks * sizeof *places);
    int *in = malloc((size_t)ranks * sizeof *in), *out[8], made = 1;
    for (int i = 0; i < ranks; i++) {
        types[i] = MPI_INT;
        counts[i] = 1;
        places[i] = i * (int)sizeof(int);
        in[i] = 100 * rank + i;
    }
#endif
    int finished = 0;
    for (int i = 0; i < MANY; i++)
        MPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[i]);
#ifdef NONBLOCKING_COLLECTIVES
    for (int k = 0; k < 8; k++) {
        out[k] = calloc((size_t)ranks, sizeof(int));
        made = made && WORKS(MPI_Ialltoallw(in, counts, places, types, out[k], counts, places,
                                            types, MPI_COMM_WORLD, &with_arrays[k]));
    }
#endif
    for (int i = 0; i < MANY; i += 2)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < MANY; i++)
        MPI_Test(&requests[i], &finished, MPI_STATUS_IGNORE);
    CHECK(finished);
#ifdef NONBLOCKING_COLLECTIVES
    for (int k = 0; k < 8 && made; k++) {
        MPI_Wait(&with_arrays[k], MPI_STATUS_IGNORE);
        for (int i = 0; i < ranks; i++)
            CHECK(out[k][i] == 100 * i + rank);
    }
    for (int k = 0; k < 8; k++)
        free(out[k]);
    free(types), free(counts), free(places), free(in);
#endif
}

static void check_arrays(void)
{
    int *counts = malloc((size_t)ranks * sizeof *counts),
        *places = malloc((size_t)ranks * sizeof *places);
    int *in = calloc((size_t)ranks, sizeof *in), *out = calloc((size_t)ranks, sizeof *out);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        places[i] = ranks - 1 - i;
        in[i] = 10 * rank + i;
    }
    const int root = ranks - 1;
    CHECK(WORKS(MPI_Gatherv(&rank, 1, MPI_INT, out, rank == root ? counts : NULL,
                            rank == root ? places : NULL, MPI_INT, root, MPI_COMM_WORLD)));
    for (int i = 0; rank == root && i < ranks; i++)
        CHECK(out[ranks - 1 - i] == i);
    CHECK(WORKS(
        MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD)));
    for (int i = 0; i < ranks; i++)
        CHECK(out[ranks - 1 - i] == 10 * i + ranks - 1 - rank);
    int sum = 0;
    CHECK(WORKS(MPI_Reduce_scatter(in, &sum, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD)));
    CHECK(sum == 10 * ranks * (ranks - 1) / 2 + ranks * rank);
#ifdef MPI_IN_PLACE
    int own = rank + 1;
    if (WORKS(MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)))
        CHECK(own == ranks * (ranks + 1) / 2);
#endif
    free(counts), free(places), free(in), free(out);
}

#ifdef LARGE_COUNTS
static void check_large_arrays(void)
{
    int *in = calloc((size_t)ranks, sizeof *in), *out = calloc((size_t)ranks, sizeof *out);
    MPI_Count *wide = malloc((size_t)ranks * sizeof *wide);
    MPI_Aint *far = malloc((size_t)ranks * sizeof *far);
    MPI_Request request;
    for (int i = 0; i < ranks; i++) {
        wide[i] = 1;
        far[i] = ranks - 1 - i;
        in[i] = 10 * rank + i;
    }
    CHECK(WORKS(MPI_Gatherv_c(&rank, 1, MPI_INT, out, rank == 0 ? wide : NULL,
                              rank == 0 ? far : NULL, MPI_INT, 0, MPI_COMM_WORLD)));
    CHECK(rank != 0 || out[0] == ranks - 1);
    CHECK(WORKS(MPI_Alltoallv_c(in, wide, far, MPI_INT, out, wide, far, MPI_INT, MPI_COMM_WORLD)));
    for (int i = 0; i < ranks; i++)
        CHECK(out[ranks - 1 - i] == 10 * i + ranks - 1 - rank);
    if (WORKS(MPI_Ialltoallv_c(in, wide, far, MPI_INT, out, wide, far, MPI_INT, MPI_COMM_WORLD,
                               &request)))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(in), free(out), free(wide), free(far);
}

static void check_large_counts(void)
{
    const MPI_Count many = 3000000000;
    MPI_Datatype empty, large;
    MPI_Count size = -1;
    MPI_Request request;
    char nothing;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    CHECK(WORKS(MPI_Send_c(&nothing, many, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD)));
    if (WORKS(MPI_Isend_c(&nothing, many, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request)))
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(WORKS(MPI_Bcast_c(&nothing, many, empty, 0, MPI_COMM_SELF)));
    MPI_Type_free(&empty);
    int code = MPI_Pack_size_c(many, MPI_BYTE, MPI_COMM_SELF, &size);
    CHECK(code ? class_of(code) == MPI_ERR_VALUE_TOO_LARGE : size >= many);
    code = MPI_Type_contiguous_c(many, MPI_BYTE, &large);
    if (code) {
        CHECK(class_of(code) == MPI_ERR_VALUE_TOO_LARGE);
    } else {
        MPI_Type_size_c(large, &size);
        CHECK(size == many);
        MPI_Type_free(&large);
    }
}
#endif

/* Constants among the integers. */
static void check_contents(void)
{
    int sizes[2] = {4, 5}, part[2] = {2, 3}, first[2] = {1, 1}, processes[2] = {1, 1}, found[16];
    int distributions[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Aint addresses[1];
    MPI_Datatype type, types[1];
    if (WORKS(MPI_Type_create_subarray(2, sizes, part, first, MPI_ORDER_FORTRAN, MPI_INT, &type))) {
        MPI_Type_get_contents(type, 8, 0, 1, found, addresses, types);
        CHECK(found[0] == 2 && found[3] == 2 && found[7] == MPI_ORDER_FORTRAN);
        MPI_Type_free(&type);
    }
    if (WORKS(MPI_Type_create_darray(1, 0, 2, sizes, distributions, arguments, processes,
                                     MPI_ORDER_C, MPI_INT, &type))) {
        MPI_Type_get_contents(type, 12, 0, 1, found, addresses, types);
        CHECK(found[3] == 4 && found[5] == MPI_DISTRIBUTE_CYCLIC &&
              found[6] == MPI_DISTRIBUTE_NONE);
        CHECK(found[7] == MPI_DISTRIBUTE_DFLT_DARG && found[9] == 1 && found[11] == MPI_ORDER_C);
        MPI_Type_free(&type);
    }
}

static void check_types_and_communicators(void)
{
    int integers[8], n_integers, n_addresses, n_types, combiner, result;
    MPI_Aint addresses[1];
    MPI_Datatype vector, types[1];
    MPI_Comm split, twin;
    MPI_Type_vector(3, 2, 5, MPI_DOUBLE, &vector);
    MPI_Type_get_envelope(vector, &n_integers, &n_addresses, &n_types, &combiner);
    CHECK(combiner == MPI_COMBINER_VECTOR && n_integers == 3 && n_types == 1);
    MPI_Type_get_contents(vector, 3, 0, 1, integers, addresses, types);
    CHECK(integers[2] == 5 && types[0] == MPI_DOUBLE);
    MPI_Type_free(&vector);
    CHECK(vector == MPI_DATATYPE_NULL);
    MPI_Comm_split(MPI_COMM_WORLD, rank ? 1 : MPI_UNDEFINED, 0, &split);
    CHECK((split == MPI_COMM_NULL) == (rank == 0));
    if (split != MPI_COMM_NULL)
        MPI_Comm_free(&split);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_compare(MPI_COMM_WORLD, twin, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_free(&twin);
    MPI_Topo_test(MPI_COMM_WORLD, &result);
    CHECK(result == MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_environment_and_strings();
    check_statuses();
#ifdef SESSION_BUFFERS
    check_peeking();
#endif
    check_shared_requests();
    check_arrays();
#ifdef LARGE_COUNTS
    check_large_arrays();
    check_large_counts();
#endif
    check_types_and_communicators();
    check_contents();
    report();
    MPI_Finalize();
    return 0;
}
