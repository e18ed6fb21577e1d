#include "collectives.h"
#include "../execution/execution.h"
#include "../interpose/built_in_table.h"
#include "../interpose/data.h"
#include "../interpose/replacing.h"
#include "../interpose/table.h"
#include "../schedules/pipeline.h"
#include "calls.h"
#include "external32.h"
#include "matching.h"
#include <stdlib.h>

enum { CALLS_APART = 64 };

/* The first that can do it does: as in the overlay between sites, then what crosses between them as
 * seldom as possible, then what serves whatever these refuse. What each refuses is known alike to
 * all ranks. */
static const char choices[] = BUILT_IN_TABLE "bcast one_crossing\n"
                                             "bcast binomial\n"
                                             "reduce one_crossing\n"
                                             "reduce binary_in_order\n"
                                             "reduce linear\n"
                                             "allreduce one_crossing\n"
                                             "allreduce recursive_doubling\n"
                                             "reduce_scatter one_crossing\n"
                                             "reduce_scatter recursive_halving\n"
                                             "reduce_scatter pairwise\n"
                                             "gather one_crossing\n"
                                             "gather linear\n"
                                             "scatter one_crossing\n"
                                             "scatter linear\n"
                                             "allgather one_crossing\n"
                                             "allgather ring\n"
                                             "alltoall one_crossing\n"
                                             "alltoall pairwise\n"
                                             "alltoall linear\n"
                                             "barrier one_crossing\n"
                                             "barrier dissemination\n"
                                             "scan one_crossing\n"
                                             "scan recursive_doubling\n"
                                             "scan linear\n"
                                             "exscan one_crossing\n"
                                             "exscan recursive_doubling\n"
                                             "exscan linear\n";

static const Table *choice_table(void)
{
    static Table table;
    char error[256];
    if (!table.count && !read_table(&table, choices, "the gateway's table", error, sizeof error))
        stop("%s", error);
    return &table;
}

static int tag_room(const Joined *j)
{
    return (j->tag_bound - CALLS_APART) / CALLS_APART;
}

/* A nonblocking one that is under way, as its request's `work`. */
typedef struct Pending Pending;
struct Pending {
    Request *request;
    Data data;
    Schedule schedule;
    Execution *execution;
    Pending *next;
};
static Pending *under_way;

/* The schedule for this problem; an error code. */
static int choose(const Collective *call, const Communicator *c, const Question *q, Problem *p,
                  Schedule *schedule)
{
    Table rest = *choice_table();
    for (const Rule *rule; (rule = find_rule(&rest, q));) {
        const int passed = (int)(rule + 1 - rest.rules);
        rest.rules += passed;
        rest.count -= passed;
        if (call->varies && rule->algorithm->needs_all_counts) {
            const int code = share_counts(c, p);
            if (code != MPI_SUCCESS)
                return code;
        }
        make_schedule(schedule, rule->algorithm, p);
        if (!schedule->failure)
            return MPI_SUCCESS;
        free_schedule(schedule);
        *schedule = (Schedule){0};
    }
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

int first_tag(Joined *own)
{
    return (int)(own->calls++ % CALLS_APART) * tag_room(own);
}

static int begin(Joined *j, const Call *sent, Data *data, Schedule *schedule, MPI_Request *request)
{
    Pending *p = calloc(1, sizeof *p);
    Request *r = new_request(COLLECTIVE, j);
    if (!p || !r)
        return MPI_ERR_NO_MEM;
    *p = (Pending){.request = r, .data = *data, .schedule = *schedule};
    r->work = p;
    const int code = begin_execution(&p->execution, &p->schedule, sent);
    if (code != MPI_SUCCESS) {
        outstanding--;
        free_request(r);
        free(p);
        return code;
    }
    p->next = under_way;
    under_way = p;
    *request = (MPI_Request)r;
    return MPI_SUCCESS;
}

/* From now on its peers are ranks of the communicator. */
static void name_peers(Schedule *schedule, const int *place)
{
    for (int i = 0; place && i < schedule->count; i++)
        if (schedule->steps[i].peer >= 0)
            schedule->steps[i].peer = place[schedule->steps[i].peer];
}

static int carry_out(const Party *party, const Collective *call, Communicator *c, const Question *q,
                     Problem *p)
{
    Schedule schedule = {0};
    Data data;
    Joined *j = party->joined;
    int code = choose(call, c, q, p, &schedule);
    if (code != MPI_SUCCESS)
        return code;
    name_peers(&schedule, party->place);
    code = arrange_data(&data, call, party->rank, party->ranks);
    if (code == MPI_SUCCESS && j->external) {
        code = represent_data(&data, call, party->rank, party->ranks, to_external, from_external);
        if (code != MPI_SUCCESS)
            return_data(&data, code);
    }
    if (code == MPI_SUCCESS && call->request && (code = keep_arguments(&data, party->ranks)))
        return_data(&data, code);
    if (code == MPI_SUCCESS && schedule.tags > tag_room(j))
        code = return_data(&data, MPI_ERR_TAG);
    if (code != MPI_SUCCESS) {
        free_schedule(&schedule);
        return code;
    }
    const Call sent = {data.input, data.output, data.type, call->op, j->own, party->first_tag};
    if (call->request) {
        code = begin(j, &sent, &data, &schedule, call->request);
        if (code == MPI_SUCCESS)
            return code;
    } else {
        code = execute(&schedule, &sent, NULL);
    }
    free_schedule(&schedule);
    return return_data(&data, code);
}

int collective_among(const Party *party, const Collective *call)
{
    Communicator c = {.rank = party->rank,
                      .ranks = party->ranks,
                      .own = party->joined->own,
                      .network = party->network};
    Question question;
    Problem problem = {0};
    if (call->operation != BARRIER && (call->root < 0 || call->root >= party->ranks))
        return MPI_ERR_ROOT;
    if (!plausible(call, &c))
        return MPI_ERR_ARG;
    int code = MPI_ERR_COUNT;
    if (describe(call, &c, &question, &problem)) {
        problem.most_chunks = chunks_within(tag_room(party->joined), party->ranks);
        code = carry_out(party, call, &c, &question, &problem);
    }
    release_problem(&problem);
    return code;
}

int collective(Joined *j, const Collective *call)
{
    const Party all = {j, j->rank, j->size, NULL, j->network, first_tag(joined_of(j->own))};
    return fail(j, collective_among(&all, call));
}

/* Operations that the program has freed while one that may need them was under way. */
typedef struct Freed Freed;
struct Freed {
    MPI_Op op;
    Freed *next;
};
static Freed *freed;

int call_Op_free(MPI_Op *op)
{
    Freed *one = under_way ? malloc(sizeof *one) : NULL;
    if (!one)
        return below.Op_free(op);
    *one = (Freed){*op, freed};
    freed = one;
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

static void free_operations(void)
{
    while (freed && !under_way) {
        Freed *one = freed;
        freed = one->next;
        below.Op_free(&one->op);
        free(one);
    }
}

bool progress_collectives(void)
{
    bool moved = false;
    for (Pending **place = &under_way; *place;) {
        Pending *p = *place;
        int done = 0;
        const int code = test_execution(p->execution, &done);
        if (code == MPI_SUCCESS && !done) {
            place = &p->next;
            continue;
        }
        *place = p->next;
        Request *r = p->request;
        r->work = NULL;
        free_execution(p->execution);
        free_schedule(&p->schedule);
        end_request(r, return_data(&p->data, code));
        free(p);
        moved = true;
    }
    free_operations();
    return moved;
}
