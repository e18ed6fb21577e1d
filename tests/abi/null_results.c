/* A result pointer that is NULL is an error, as the library itself returns it; functions that MPI-3
 * removed; ways to split a communicator that a library need not know. */
#include "traps.h"
#include <stdbool.h>
#include <stddef.h>

/* Of libmpi_abi, which no header declares. */
int MPI_Address(const void *location, MPI_Aint *address);
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent);
int MPI_Type_hindexed(int count, int lengths[], MPI_Aint places[], MPI_Datatype oldtype,
                      MPI_Datatype *newtype);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype oldtype,
                     MPI_Datatype *newtype);
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *lower);
int MPI_Type_struct(int count, int lengths[], MPI_Aint places[], MPI_Datatype types[],
                    MPI_Datatype *newtype);
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *upper);

static int called;

static void count_call(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    called++;
}

#define IS_ERROR(call) CHECK((call) != MPI_SUCCESS)

/* LAM/MPI crashes in MPI_Isend, natively too. */
static void check_nulls(bool sends)
{
    MPI_Group group;
    MPI_Aint lower;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    IS_ERROR(MPI_Comm_group(MPI_COMM_WORLD, NULL));
    IS_ERROR(MPI_Comm_dup(MPI_COMM_WORLD, NULL));
    IS_ERROR(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL));
    IS_ERROR(MPI_Comm_create(MPI_COMM_WORLD, group, NULL));
    IS_ERROR(MPI_Comm_get_info(MPI_COMM_WORLD, NULL));
    IS_ERROR(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, NULL, NULL));
    IS_ERROR(MPI_Group_union(group, group, NULL));
    IS_ERROR(MPI_Type_contiguous(2, MPI_INT, NULL));
    IS_ERROR(MPI_Type_get_extent(MPI_INT, &lower, NULL));
    IS_ERROR(MPI_Type_extent(MPI_INT, NULL));
    if (sends)
        IS_ERROR(MPI_Isend(&called, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, NULL));
    IS_ERROR(MPI_Op_create((MPI_User_function *)count_call, 1, NULL));
    MPI_Group_free(&group);
}

static void check_removed(void)
{
    struct {
        int number;
        double value;
    } pair[2];
    int lengths[2] = {1, 1};
    MPI_Aint places[2], lower = -1, upper = -1, extent = -1;
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, made;
    MPI_Errhandler handler, found;
    MPI_Address(&pair[0], &places[0]);
    MPI_Address(&pair[0].value, &places[1]);
    places[1] -= places[0], places[0] = 0;
    CHECK(places[1] == (MPI_Aint)((char *)&pair[0].value - (char *)pair));
    CHECK(WORKS(MPI_Type_struct(2, lengths, places, types, &made)));
    MPI_Type_lb(made, &lower), MPI_Type_ub(made, &upper), MPI_Type_extent(made, &extent);
    CHECK(lower == 0 && upper == (MPI_Aint)sizeof pair[0] && extent == upper);
    MPI_Type_free(&made);
    CHECK(WORKS(MPI_Type_hvector(2, 1, 32, MPI_INT, &made)));
    MPI_Type_extent(made, &extent);
    CHECK(extent == 36);
    MPI_Type_free(&made);
    places[0] = 4, places[1] = 12;
    CHECK(WORKS(MPI_Type_hindexed(2, lengths, places, MPI_INT, &made)));
    MPI_Type_lb(made, &lower), MPI_Type_ub(made, &upper);
    CHECK(lower == 4 && upper == 16);
    MPI_Type_free(&made);
    CHECK(WORKS(MPI_Errhandler_create(count_call, &handler)));
    MPI_Errhandler_set(MPI_COMM_WORLD, handler);
    MPI_Errhandler_get(MPI_COMM_WORLD, &found);
    if (WORKS(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER)))
        CHECK(called == 1);
    MPI_Errhandler_free(&found), MPI_Errhandler_free(&handler);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

/* Smaller and smaller, until there is nothing to split. */
static void check_splits(void)
{
    MPI_Comm part, parts[64];
    int count = 0, size, least;
    MPI_Comm_size(MPI_COMM_WORLD, &least);
    for (part = MPI_COMM_WORLD; part != MPI_COMM_NULL && count < 64; count++) {
        MPI_Comm whole = part;
        if (!WORKS(MPI_Comm_split_type(whole, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part)))
            return;
        parts[count] = part;
        if (part == MPI_COMM_NULL)
            break;
        MPI_Comm_size(part, &size);
        CHECK(size < least);
        least = size;
    }
    CHECK(count < 64);
    for (int i = 0; i < count; i++)
        MPI_Comm_free(&parts[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    check_removed();
    check_splits();
    check_nulls(argc < 2);
    report();
    MPI_Finalize();
    return wrong != 0;
}
