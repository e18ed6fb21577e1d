/* Several requests at once, of the library's and of the gateway's: those that are inactive do not
 * count, what has ended can be looked at before it is ended, and a function of a generalized
 * request may ask for several as well. Sends of all modes.
 */
#include "traps.h"

enum { TAG = 7, PERSISTENT = 4, ALL = 6, MANY = 100 };

static int rank, ranks;

/* Persistent ones between neighbours, which may be in two sites, and within this process alone;
 * then places for a receive that is not persistent, and for none. */
typedef struct {
    MPI_Request all[ALL];
    int out, in, own_out, own_in, once;
} Requests;

static void make(Requests *r)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Send_init(&r->own_out, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &r->all[0]);
    MPI_Recv_init(&r->own_in, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &r->all[1]);
    MPI_Send_init(&r->out, 1, MPI_INT, to, TAG, MPI_COMM_WORLD, &r->all[2]);
    MPI_Recv_init(&r->in, 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &r->all[3]);
    r->all[4] = r->all[5] = MPI_REQUEST_NULL;
}

static void check_all_inactive(Requests *r)
{
    int count = 0, index = 0, flag = 0, indices[ALL];
    MPI_Status status;
    MPI_Testsome(ALL, r->all, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count == MPI_UNDEFINED);
    count = 0;
    MPI_Waitsome(ALL, r->all, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count == MPI_UNDEFINED);
    MPI_Testany(ALL, r->all, &index, &flag, &status);
    CHECK(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
    index = 0;
    MPI_Waitany(ALL, r->all, &index, &status);
    CHECK(index == MPI_UNDEFINED && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Testall(ALL, r->all, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag);
}

/* What is to come is waited for, although the others are inactive. */
static void check_one_active(Requests *r, int way)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int count = 0, index = -1, flag = 1, indices[ALL] = {-1, -1, -1, -1, -1, -1};
    MPI_Status status, statuses[ALL];
    MPI_Irecv(&r->once, 1, MPI_INT, from, TAG + 1, MPI_COMM_WORLD, &r->all[4]);
    MPI_Testsome(ALL, r->all, &count, indices, statuses);
    CHECK(count == 0);
    MPI_Testany(ALL, r->all, &index, &flag, &status);
    CHECK(!flag && index == MPI_UNDEFINED);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, to, TAG + 1, MPI_COMM_WORLD);
    if (way == 0) {
        MPI_Waitsome(ALL, r->all, &count, indices, statuses);
        index = indices[0];
        status = statuses[0];
        CHECK(count == 1);
    } else {
        MPI_Waitany(ALL, r->all, &index, &status);
    }
    CHECK(index == 4 && status.MPI_SOURCE == from && r->once == from);
    CHECK(r->all[4] == MPI_REQUEST_NULL && r->all[0] != MPI_REQUEST_NULL);
}

/* Each that is started is told of once, and is inactive then. */
static void check_started(Requests *r)
{
    int told[ALL] = {0}, left = PERSISTENT, indices[ALL];
    int flag = 0;
    MPI_Status statuses[ALL];
    r->out = r->own_out = rank;
    MPI_Startall(PERSISTENT, r->all);
    while (!flag)
        MPI_Testall(ALL, r->all, &flag, statuses);
    CHECK(statuses[1].MPI_SOURCE == 0 && statuses[1].MPI_TAG == TAG);
    CHECK(statuses[3].MPI_SOURCE == (rank + ranks - 1) % ranks && statuses[3].MPI_TAG == TAG);
    CHECK(statuses[5].MPI_SOURCE == MPI_ANY_SOURCE && statuses[5].MPI_TAG == MPI_ANY_TAG);
    CHECK(r->in == (rank + ranks - 1) % ranks && r->own_in == rank);
    r->in = r->own_in = -1;
    MPI_Startall(PERSISTENT, r->all);
    for (int count = 0; left > 0; left -= count) {
        MPI_Waitsome(ALL, r->all, &count, indices, MPI_STATUSES_IGNORE);
        if (count == MPI_UNDEFINED || count < 1)
            break;
        for (int i = 0; i < count; i++)
            told[indices[i]]++;
    }
    CHECK(left == 0);
    for (int i = 0; i < ALL; i++)
        CHECK(told[i] == (i < PERSISTENT) && (r->all[i] == MPI_REQUEST_NULL) == (i >= PERSISTENT));
    CHECK(r->in == (rank + ranks - 1) % ranks && r->own_in == rank);
}

/* Whether this library has functions that tell an inactive request from one that has ended. */
static int tells_the_inactive(void)
{
    char words[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(words, &length);
    return strstr(words, "MPICH Version:      5") || strstr(words, "Intel(R) MPI");
}

/* What has ended and is not to be ended yet: of inactive ones only the library's may be taken for
 * it, which are the first two. */
static void check_peeking(Requests *r)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    const int others = tells_the_inactive() ? 0 : 2;
    int count = -1, index = -1, flag = -1, indices[ALL], own[2];
    MPI_Status status, statuses[ALL];
    int here, everywhere;
    here = WORKS(MPI_Request_get_status(r->all[0], &flag, &status));
    MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!everywhere)
        return;
    CHECK(flag);
    CHECK(WORKS(MPI_Request_get_status_some(ALL, r->all, &count, indices, statuses)));
    CHECK(others ? count == others : count == MPI_UNDEFINED);
    CHECK(WORKS(MPI_Request_get_status_any(ALL, r->all, &index, &flag, &status)));
    CHECK(flag && index == (others ? 0 : MPI_UNDEFINED) && status.MPI_SOURCE == MPI_ANY_SOURCE);
    CHECK(WORKS(MPI_Request_get_status_any(ALL - 2, &r->all[2], &index, &flag, &status)));
    CHECK(flag && index == MPI_UNDEFINED && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Irecv(&own[0], 1, MPI_INT, 0, TAG + 4, MPI_COMM_SELF, &r->all[4]);
    MPI_Irecv(&own[1], 1, MPI_INT, from, TAG + 4, MPI_COMM_WORLD, &r->all[5]);
    MPI_Request_get_status_some(ALL, r->all, &count, indices, statuses);
    CHECK(count == others);
    MPI_Request_get_status_any(ALL - 2, &r->all[2], &index, &flag, &status);
    CHECK(!flag && index == MPI_UNDEFINED);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, 0, TAG + 4, MPI_COMM_SELF);
    MPI_Send(&rank, 1, MPI_INT, to, TAG + 4, MPI_COMM_WORLD);
    for (count = 0; count < others + 2;)
        MPI_Request_get_status_some(ALL, r->all, &count, indices, statuses);
    CHECK(indices[others] == 4 && indices[others + 1] == 5);
    CHECK(statuses[others].MPI_SOURCE == 0 && statuses[others + 1].MPI_SOURCE == from);
    MPI_Request_get_status_any(ALL - 2, &r->all[2], &index, &flag, &status);
    CHECK(flag && index == 2 && status.MPI_TAG == TAG + 4);
    MPI_Waitall(2, &r->all[4], statuses);
    CHECK(own[0] == rank && own[1] == from && statuses[1].MPI_SOURCE == from);
}

/* Each mode there is, at once and to be started: the receive is there first, as ready sends ask. */
static void check_modes(void)
{
    enum { MODES = 8, FIRST_PERSISTENT = 4 };
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    char buffer[64 + MODES * MPI_BSEND_OVERHEAD], *old;
    MPI_Request all[MODES], receives[MODES];
    int out[MODES], in[MODES], bytes;
    MPI_Buffer_attach(buffer, (int)sizeof buffer);
    for (int i = 0; i < MODES; i++) {
        out[i] = 100 * rank + i;
        MPI_Irecv(&in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &receives[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&out[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &all[0]);
    MPI_Ibsend(&out[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Issend(&out[2], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &all[2]);
    MPI_Irsend(&out[3], 1, MPI_INT, to, 3, MPI_COMM_WORLD, &all[3]);
    MPI_Send_init(&out[4], 1, MPI_INT, to, 4, MPI_COMM_WORLD, &all[4]);
    MPI_Bsend_init(&out[5], 1, MPI_INT, to, 5, MPI_COMM_WORLD, &all[5]);
    MPI_Ssend_init(&out[6], 1, MPI_INT, to, 6, MPI_COMM_WORLD, &all[6]);
    MPI_Rsend_init(&out[7], 1, MPI_INT, to, 7, MPI_COMM_WORLD, &all[7]);
    MPI_Startall(MODES - FIRST_PERSISTENT, &all[FIRST_PERSISTENT]);
    MPI_Waitall(MODES, receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(MODES, all, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&old, &bytes);
    for (int i = 0; i < MODES; i++) {
        CHECK(in[i] == 100 * from + i);
        CHECK((all[i] != MPI_REQUEST_NULL) == (i >= FIRST_PERSISTENT));
        if (i >= FIRST_PERSISTENT)
            MPI_Request_free(&all[i]);
    }
    MPI_Irecv(&in[0], 1, MPI_INT, from, TAG, MPI_COMM_WORLD, &receives[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&out[0], 1, MPI_INT, to, TAG, MPI_COMM_WORLD);
    MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
    CHECK(in[0] == 100 * from);
}

static int inner_right;

/* Asks for more than whoever waits for the generalized request has. */
static int ask_for_several(void *extra, MPI_Status *status)
{
    const int from = (rank + ranks - 1) % ranks;
    MPI_Request *inner = extra;
    int count = -1, indices[MANY];
    if (MPI_Testsome(MANY, inner, &count, indices, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
        inner_right += count == 1 && indices[0] == MANY - 1;
    MPI_Status_set_elements(status, MPI_INT, from);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = from;
    status->MPI_TAG = TAG;
    return MPI_SUCCESS;
}

static int nothing(void *extra)
{
    return extra ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int no_cancel(void *extra, int complete)
{
    (void)complete;
    return nothing(extra);
}

/* Beside receives from a neighbour that do not end, outside and in the function. */
static void check_generalized(void)
{
    enum { RECEIVES = 3 };
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Request outer[RECEIVES + 1], inner[MANY];
    MPI_Status statuses[RECEIVES + 1];
    int in[RECEIVES], own = -1, inside = -1, count = 0, elements = 0, indices[RECEIVES + 1];
    int here, everywhere;
    here = WORKS(MPI_Grequest_start(ask_for_several, nothing, no_cancel, inner, &outer[RECEIVES]));
    MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!everywhere)
        return;
    for (int i = 0; i < RECEIVES; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, from, TAG + 2, MPI_COMM_WORLD, &outer[i]);
    for (int i = 0; i < MANY; i++)
        inner[i] = MPI_REQUEST_NULL;
    MPI_Irecv(&inside, 1, MPI_INT, from, TAG + 3, MPI_COMM_WORLD, &inner[0]);
    MPI_Irecv(&own, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &inner[MANY - 1]);
    MPI_Send(&rank, 1, MPI_INT, 0, TAG, MPI_COMM_SELF);
    MPI_Grequest_complete(outer[RECEIVES]);
    MPI_Waitsome(RECEIVES + 1, outer, &count, indices, statuses);
    CHECK(inner_right == 1 && own == rank && inner[MANY - 1] == MPI_REQUEST_NULL);
    CHECK(count == 1 && indices[0] == RECEIVES && statuses[0].MPI_SOURCE == from);
    MPI_Get_count(&statuses[0], MPI_INT, &elements);
    CHECK(elements == from && outer[RECEIVES] == MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < RECEIVES; i++)
        MPI_Send(&i, 1, MPI_INT, to, TAG + 2, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, to, TAG + 3, MPI_COMM_WORLD);
    MPI_Waitall(RECEIVES, outer, MPI_STATUSES_IGNORE);
    MPI_Wait(&inner[0], MPI_STATUS_IGNORE);
    CHECK(inside == from);
    for (int i = 0; i < RECEIVES; i++)
        CHECK(in[i] == i);
}

int main(int argc, char **argv)
{
    Requests requests;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    make(&requests);
    check_all_inactive(&requests);
    check_peeking(&requests);
    for (int way = 0; way < 2; way++)
        check_one_active(&requests, way);
    for (int round = 0; round < 3; round++)
        check_started(&requests);
    check_all_inactive(&requests);
    for (int i = 0; i < PERSISTENT; i++)
        MPI_Request_free(&requests.all[i]);
    check_modes();
    check_generalized();
    report();
    MPI_Finalize();
    return 0;
}
