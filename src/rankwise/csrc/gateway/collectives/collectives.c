#include "collectives.h"
#include "../interpose/built_in_table.h"
#include "../interpose/carrying_out.h"
#include "../interpose/replacing.h"
#include "../schedules/pipeline.h"
#include "batch.h"
#include "calls.h"
#include "external32.h"
#include <stdlib.h>

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

/* The first rule whose algorithm makes a schedule; an error code. */
static int choose(const Party *party, const Collective *call, const Communicator *c,
                  const Question *q, Problem *p, Carried *carried)
{
    Joined *j = party->joined;
    if (!j->schedules)
        j->schedules = calloc(1, sizeof *j->schedules);
    KeptSchedules *const kept = party->place ? NULL : j->schedules;
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
        if (choose_schedule(carried, kept, rule, p))
            return MPI_SUCCESS;
    }
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* A nonblocking one goes on whenever its batch does. */
static bool go_on_in_batch(Batch *b, void *work)
{
    Carried *const carried = work;
    int code = batch_code(b);
    if (code == MPI_SUCCESS && (tags_of(b)->waits || !go_on(carried, &code)))
        return true;
    batch_fails(b, leave(carried, code));
    free(carried);
    return false;
}

static int begin(const Party *party, Carried *carried, MPI_Request *request)
{
    Carried *const kept = malloc(sizeof *kept);
    Batch *const b = kept ? new_call(party->joined, 0, party->call_tags) : NULL;
    if (!b) {
        free(kept);
        return leave(carried, MPI_ERR_NO_MEM);
    }
    *kept = *carried;
    hold_schedule(kept);
    if (!party->call_tags->waits)
        batch_fails(b, begin_messages(kept));
    then(b, go_on_in_batch, kept);
    return end_batch(b, party->joined, &operations, request);
}

/* From now on its peers are ranks of the communicator. */
static void name_peers(Schedule *schedule, const int *place)
{
    for (int i = 0; place && i < schedule->count; i++)
        if (schedule->steps[i].peer >= 0)
            schedule->steps[i].peer = place[schedule->steps[i].peer];
}

static int begin_or_do(const Party *party, const Collective *call, Communicator *c,
                       const Question *q, Problem *p)
{
    Carried carried;
    const Joined *j = party->joined;
    Means means = {party->rank,      party->ranks, j->own, party->first_tag,
                   party->tag_count, NULL,         NULL};
    if (j->external) {
        means.there = to_external;
        means.back = from_external;
    }
    int code = choose(party, call, c, q, p, &carried);
    if (code != MPI_SUCCESS)
        return code;
    name_peers(&carried.fresh, party->place);
    code = prepare(&carried, call, &means);
    if (code != MPI_SUCCESS)
        return code;
    if (call->request)
        return begin(party, &carried, call->request);
    await_tags(party->call_tags);
    return carry_out(&carried);
}

int collective_among(const Party *party, const Collective *call)
{
    Communicator c = {.rank = party->rank,
                      .ranks = party->ranks,
                      .own = party->joined->own,
                      .network = party->network};
    Question question;
    Problem problem = {0};
    int code = check_arguments(call, &c);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_ERR_NO_MEM;
    if (describe(call, &c, &question, &problem)) {
        problem.most_chunks = chunks_within(party->tag_count, party->ranks);
        code = begin_or_do(party, call, &c, &question, &problem);
    }
    release_problem(&problem);
    return code;
}

int collective(Joined *j, const Collective *call, CallTags *tags)
{
    if (tags)
        hold_tags(tags);
    else if (!(tags = take_tags(&joined_of(j->own)->tags_in_use)))
        return fail(j, MPI_ERR_NO_MEM);
    const Party all = {j,          j->rank, j->size,         NULL,
                       j->network, tags,    first_tag(tags), tag_count(tags)};
    const int code = collective_among(&all, call);
    leave_tags(tags);
    return fail(j, code);
}
