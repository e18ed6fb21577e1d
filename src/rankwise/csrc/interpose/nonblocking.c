#include "nonblocking.h"
#include "overlay.h"
#include "turns.h"
#include <pthread.h>
#include <stdlib.h>

#if MPI_VERSION >= 3

typedef struct Pending Pending;
struct Pending {
    Data data;
    Schedule fresh;
    KeptSchedule *kept;
    Execution *execution;
    MPI_Request request;
    int code;
    Pending *next;
};

static Pending *under_way;
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;

/* With `turns` held. */
static int take_turns(void)
{
    int ended = 0;
    for (Pending **place = &under_way; *place;) {
        Pending *p = *place;
        int done = 0;
        const int code = test_execution(p->execution, &done);
        if (code == MPI_SUCCESS && !done) {
            place = &p->next;
            continue;
        }
        *place = p->next;
        p->code = return_data(&p->data, code);
        if (p->kept)
            p->kept->users--;
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

static int end(void *state)
{
    Pending *p = state;
    free_execution(p->execution);
    free_schedule(&p->fresh);
    free(p);
    return MPI_SUCCESS;
}

static int no_cancelling(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static int begin_pending(Pending *p, const Call *call, MPI_Request *request)
{
    int code = begin_execution(&p->execution, p->kept ? &p->kept->schedule : &p->fresh, call);
    if (code == MPI_SUCCESS)
        code = PMPI_Grequest_start(answer, end, no_cancelling, p, &p->request);
    if (code != MPI_SUCCESS)
        return code;
    *request = p->request;
    if (p->kept)
        p->kept->users++;
    Pending **place = &under_way;
    while (*place) /* what began first goes on first */
        place = &(*place)->next;
    *place = p;
    ask_for_turns(take_turn);
    return MPI_SUCCESS;
}

int begin_operation(Data *data, Schedule *fresh, KeptSchedule *kept, const Call *call,
                    MPI_Request *request)
{
    Pending *p = calloc(1, sizeof *p);
    int code = MPI_ERR_NO_MEM;
    if (p) {
        *p = (Pending){.data = *data, .fresh = *fresh, .kept = kept};
        pthread_mutex_lock(&turns);
        code = begin_pending(p, call, request);
        pthread_mutex_unlock(&turns);
    }
    if (code == MPI_SUCCESS)
        return code;
    if (p)
        free_execution(p->execution);
    free(p);
    free_schedule(fresh);
    return return_data(data, code);
}

#else

int begin_operation(Data *data, Schedule *fresh, KeptSchedule *kept, const Call *call,
                    MPI_Request *request)
{
    (void)kept, (void)call, (void)request;
    free_schedule(fresh);
    return return_data(data, MPI_ERR_REQUEST);
}

#endif
