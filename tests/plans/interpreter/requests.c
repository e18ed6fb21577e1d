/* Requests: started, waited for in all ways, freed. */
#include "plan.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static void conclude(Operation *op, MPI_Status *status)
{
    if (!op->persistent && op->request != MPI_REQUEST_NULL)
        wrong("operation %s has ended, but its request is not null", op->step->word[1]);
    op->active = 0;
    if (op->sort == RECEIVE)
        check_message(op, status);
    if (op->sort == COLLECTIVE)
        check_collective(op);
    op->round++;
    if (op->persistent)
        return;
    if (op->sort == COLLECTIVE)
        free_collective(op);
    free_area(&op->in), free_area(&op->out);
}

/* start start|startall same|turn Q...: in turn each rank begins with another one. */
void start(const Step *step)
{
    Operation *some[MAX_WORDS];
    MPI_Request requests[MAX_WORDS];
    int count = 0, together = !strcmp(step->word[1], "startall");
    for (int i = 3; i < step->words; i++) {
        Operation *op = &plan.operations[atoi(step->word[i])];
        if (op->persistent && !op->active)
            some[count++] = op;
    }
    const int first =
        !strcmp(step->word[2], "turn") && plan.persistent && count ? plan.rank % count : 0;
    for (int i = 0; i < count; i++) {
        Operation *op = some[(first + i) % count];
        if (op->sort == COLLECTIVE)
            fill_collective(op);
        else
            fill_message(op);
        op->active = 1;
        op->post = step->number;
        if (op->sort == COLLECTIVE && !plan.persistent) {
            call_collective(op, 'i');
            together = 0;
        } else if (!together)
            MPI_Start(&op->request);
        requests[i] = op->request;
    }
    if (!together)
        return;
    MPI_Startall(count, requests);
    for (int i = 0; i < count; i++)
        some[(first + i) % count]->request = requests[i];
}

typedef struct {
    int count, left;
    Operation *operation[MAX_WORDS + 1];
    MPI_Request request[MAX_WORDS + 1];
    MPI_Status status[MAX_WORDS + 1];
    int index[MAX_WORDS + 1];
} Set;

static void ended(Set *set, int i, MPI_Status *status)
{
    Operation *op = i < 0 || i >= set->count ? NULL : set->operation[i];
    if (!op || !op->active) {
        wrong("request %d of %d has ended, which was not under way", i, set->count);
        return;
    }
    op->request = set->request[i];
    conclude(op, status);
    set->left--;
}

static void all_ended(Set *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->operation[i])
            ended(set, i, &set->status[i]);
}

static void some_ended(Set *set, int count)
{
    for (int i = 0; i < count; i++)
        ended(set, set->index[i], &set->status[i]);
}

static void one_by_one(Set *set, const char *kind)
{
    for (int i = 0; i < set->count; i++) {
        int there = 0;
        MPI_Status status;
        if (!set->operation[i])
            continue;
        while (!strcmp(kind, "test") && !there) {
            MPI_Test(&set->request[i], &there, &status);
            sched_yield();
        }
        while (!strcmp(kind, "status") && !there) {
            MPI_Request_get_status(set->request[i], &there, &status);
            sched_yield();
        }
        if (strcmp(kind, "test") != 0)
            MPI_Wait(&set->request[i], &status);
        ended(set, i, &status);
    }
}

static void turn(Set *set, const char *kind)
{
    int count = 0, there = 0;
    MPI_Status status;
    if (!strcmp(kind, "waitall")) {
        MPI_Waitall(set->count, set->request, set->status);
        all_ended(set);
    } else if (!strcmp(kind, "testall")) {
        MPI_Testall(set->count, set->request, &there, set->status);
        if (there)
            all_ended(set);
    } else if (!strcmp(kind, "waitany")) {
        MPI_Waitany(set->count, set->request, &count, &status);
        ended(set, count, &status);
    } else if (!strcmp(kind, "testany")) {
        MPI_Testany(set->count, set->request, &count, &there, &status);
        if (there)
            ended(set, count, &status);
    } else if (!strcmp(kind, "waitsome")) {
        MPI_Waitsome(set->count, set->request, &count, set->index, set->status);
        some_ended(set, count);
    } else {
        MPI_Testsome(set->count, set->request, &count, set->index, set->status);
        some_ended(set, count);
    }
    if (kind[0] == 't')
        sched_yield();
}

static void wait_in(Set *set, const char *kind)
{
    int before = set->left + 1;
    if (!strcmp(kind, "wait") || !strcmp(kind, "test") || !strcmp(kind, "status")) {
        one_by_one(set, kind);
        return;
    }
    while (set->left > 0) {
        if (kind[0] == 'w' && set->left == before) {
            wrong("%s has returned, but nothing has ended", kind);
            return;
        }
        before = set->left;
        turn(set, kind);
    }
}

static void take(Set *set, Operation *op)
{
    if (!op->active)
        return;
    set->operation[set->count] = op;
    set->request[set->count++] = op->request;
    set->left++;
}

/* wait KIND RANKS|* Q...: as far as they are under way on these ranks; a null request is among
 * them. */
void wait_for(const Step *step)
{
    if (step->word[2][0] != '*' && !strchr(step->word[2], '0' + plan.rank))
        return;
    Set set = {.count = 0};
    for (int i = 3; i < step->words; i++) {
        if (i == 4) {
            set.operation[set.count] = NULL;
            set.request[set.count++] = MPI_REQUEST_NULL;
        }
        take(&set, &plan.operations[atoi(step->word[i])]);
    }
    wait_in(&set, step->word[1]);
}

/* drop Q: a send that goes on without its request, or a persistent operation that has ended. */
void drop(const Step *step)
{
    Operation *op = &plan.operations[atoi(step->word[1])];
    if (op->sort == NOTHING || op->request == MPI_REQUEST_NULL)
        return;
    MPI_Request_free(&op->request);
    if (!op->active) {
        if (op->sort == COLLECTIVE)
            free_collective(op);
        free_area(&op->in), free_area(&op->out);
    }
    op->active = op->persistent = 0; /* what is still sent stays where it is until the plan ends */
}

/* Whatever the plan has left. */
void end_all(void)
{
    for (int i = 0; i <= plan.steps; i++) {
        Operation *op = &plan.operations[i];
        MPI_Status status;
        if (op->active) {
            now_at(op->step);
            MPI_Wait(&op->request, &status);
            conclude(op, &status);
        }
        if (op->persistent && op->request != MPI_REQUEST_NULL)
            MPI_Request_free(&op->request);
        if (op->persistent && op->sort == COLLECTIVE)
            free_collective(op);
    }
}
