#include "nonblocking.h"
#include "passing.h"
#include "turns.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#if MPI_VERSION >= 3

struct Pending {
    Communicator *communicator;
    int place;
    Pending *follower; /* the next call with this place, which waits for this one */
    bool waits;
    Carried carried;
    MPI_Request request;
    int code;
    Pending *next;
};

static Pending *under_way;
static long requests_of_ours; /* that have not been waited for */
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;

static void take_place(Pending *p)
{
    Pending **newest = &p->communicator->newest[p->place];
    p->waits = *newest != NULL;
    if (*newest)
        (*newest)->follower = p;
    *newest = p;
}

static void leave_place(Pending *p)
{
    Pending **newest = &p->communicator->newest[p->place];
    if (p->follower)
        p->follower->waits = false;
    else if (*newest == p)
        *newest = NULL;
}

/* With `turns` held. */
static int take_turns(void)
{
    int ended = 0;
    for (Pending **place = &under_way; *place;) {
        Pending *p = *place;
        if (p->waits || !go_on(&p->carried, &p->code)) {
            place = &p->next;
            continue;
        }
        *place = p->next;
        leave_place(p);
        p->code = leave(&p->carried, p->code);
        PMPI_Grequest_complete(p->request);
        ended++;
    }
    return ended;
}

static Progressed take_turn(bool *asked)
{
    Progressed result = {0};
    /* Our own messages make progress too, and so come here again. */
    if (pthread_mutex_trylock(&turns) != 0)
        return result;
    inside++;
    result.ended = take_turns();
    inside--;
    result.last = under_way == NULL;
    if (result.last)
        *asked = false;
    pthread_mutex_unlock(&turns);
    return result;
}

/* What MPI_Wait and its like say of it: as of any collective, nothing. */
static int answer(void *state, MPI_Status *status)
{
    const Pending *p = state;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return p->code;
}

/* The program has been told: the communicator, which it may have freed, can go. */
static int end(void *state)
{
    Pending *p = state;
    release_communicator(p->communicator);
    free(p);
    __atomic_sub_fetch(&requests_of_ours, 1, __ATOMIC_RELAXED);
    return MPI_SUCCESS;
}

static int no_cancelling(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

/* With `turns` held. */
static int begin_pending(Pending *p, MPI_Request *request)
{
    int code = p->communicator->newest[p->place] ? MPI_SUCCESS : begin_messages(&p->carried);
    if (code == MPI_SUCCESS)
        code = PMPI_Grequest_start(answer, end, no_cancelling, p, &p->request);
    if (code != MPI_SUCCESS)
        return code;
    *request = p->request;
    hold_schedule(&p->carried);
    take_place(p);
    hold_communicator(p->communicator);
    __atomic_add_fetch(&requests_of_ours, 1, __ATOMIC_RELAXED);
    Pending **place = &under_way;
    while (*place) /* what began first goes on first */
        place = &(*place)->next;
    *place = p;
    ask_for_turns(take_turn);
    return MPI_SUCCESS;
}

int begin_operation(Communicator *communicator, int place, Carried *carried, MPI_Request *request)
{
    Pending *p = malloc(sizeof *p);
    if (!p)
        return leave(carried, MPI_ERR_NO_MEM);
    *p = (Pending){.communicator = communicator, .place = place, .carried = *carried};
    pthread_mutex_lock(&turns);
    int code = begin_pending(p, request);
    pthread_mutex_unlock(&turns);
    if (code != MPI_SUCCESS) {
        code = leave(&p->carried, code);
        free(p);
    }
    return code;
}

void await_place(Communicator *communicator, int place)
{
    for (;;) {
        pthread_mutex_lock(&turns);
        const bool taken = communicator->newest[place] != NULL;
        if (taken)
            take_turns();
        pthread_mutex_unlock(&turns);
        if (!taken)
            return;
        sched_yield();
    }
}

/* Those that are not null, one after another; `place`: where each was. */
static int gather_requests(int count, const MPI_Request requests[], MPI_Request there[],
                           int place[])
{
    int some = 0;
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            place[some] = i;
            there[some++] = requests[i];
        }
    return some;
}

static int wait_for_some(int count, MPI_Request requests[], MPI_Status statuses[],
                         MPI_Request there[], MPI_Status theirs[], int place[])
{
    const bool told = statuses != MPI_STATUSES_IGNORE;
    const int some = gather_requests(count, requests, there, place);
    const int code = PMPI_Waitall(some, there, told ? theirs : MPI_STATUSES_IGNORE);
    for (int i = 0; told && i < count; i++) {
        MPI_Request none = MPI_REQUEST_NULL;
        PMPI_Wait(&none, &statuses[i]);
        if (code == MPI_ERR_IN_STATUS)
            statuses[i].MPI_ERROR = MPI_SUCCESS;
    }
    for (int i = 0; i < some; i++) {
        requests[place[i]] = there[i];
        if (told)
            statuses[place[i]] = theirs[i];
    }
    return code;
}

int wait_for_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    bool nulls = false;
    for (int i = 0; i < count && __atomic_load_n(&requests_of_ours, __ATOMIC_RELAXED); i++)
        nulls |= requests[i] == MPI_REQUEST_NULL;
    if (!nulls)
        return PMPI_Waitall(count, requests, statuses);
    MPI_Request *there = malloc((size_t)count * sizeof *there);
    MPI_Status *theirs = malloc((size_t)count * sizeof *theirs);
    int *place = malloc((size_t)count * sizeof *place), code = MPI_ERR_NO_MEM;
    if (there && theirs && place)
        code = wait_for_some(count, requests, statuses, there, theirs, place);
    free(there);
    free(theirs);
    free(place);
    return code;
}

#else

int wait_for_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    return PMPI_Waitall(count, requests, statuses);
}

int begin_operation(Communicator *communicator, int place, Carried *carried, MPI_Request *request)
{
    (void)communicator, (void)place, (void)request;
    return leave(carried, MPI_ERR_REQUEST);
}

void await_place(Communicator *communicator, int place)
{
    (void)communicator, (void)place;
}

#endif
