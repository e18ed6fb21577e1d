#include "overlay.h"
#include "../schedules/pipeline.h"
#include "in_place.h"
#include "nonblocking.h"
#include "replacing.h"
#include "report.h"
#include "settings.h"
#include "turns.h"
#include <pthread.h>
#include <string.h>

typedef enum { NEW, READY, OVER } Stage;
static Stage stage;
static pthread_mutex_t beginning = PTHREAD_MUTEX_INITIALIZER;

/* Of an attribute of MPI_COMM_SELF, which goes first of all in MPI_Finalize, whatever language
 * calls it. */
static int end(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    memset(may_replace, 0, sizeof may_replace);
    __atomic_store_n(&stage, OVER, __ATOMIC_RELEASE);
    if (settings()->report)
        write_report(settings()->report);
    return MPI_SUCCESS;
}

static void begin(void)
{
    int key = MPI_KEYVAL_INVALID;
    read_settings();
    prepare_communicators();
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL) == MPI_SUCCESS)
        PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

static bool ready(void)
{
    int started = 0, ended = 0;
    const Stage now = __atomic_load_n(&stage, __ATOMIC_ACQUIRE);
    if (now != NEW)
        return now == READY;
    PMPI_Initialized(&started);
    PMPI_Finalized(&ended);
    if (!started || ended)
        return false;
    pthread_mutex_lock(&beginning);
    if (stage == NEW) {
        begin();
        __atomic_store_n(&stage, READY, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&beginning);
    return true;
}

/* The library's own way of telling an error on this communicator. */
static int tell(MPI_Comm comm, int code)
{
    if (code != MPI_SUCCESS) {
#if MPI_VERSION >= 2 && !defined(LAM_MPI)
        PMPI_Comm_call_errhandler(comm, code);
#else
        MPI_Errhandler handler;
        if (PMPI_Errhandler_get(comm, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_ARE_FATAL)
            PMPI_Abort(comm, code);
#endif
    }
    return code;
}

static int to_elements(int64_t bytes, int64_t element_bytes)
{
    const int64_t elements = element_bytes > 0 ? bytes / element_bytes : bytes;
    return bytes && !elements ? 1 : (int)elements;
}

/* Carries out the operation; NO_SCHEDULE if the algorithm cannot, which all ranks find alike. */
static bool replace(const Collective *call, Communicator *c, const Rule *rule, Problem *p,
                    int *code)
{
    Carried carried;
    if (!choose_schedule(&carried, &c->schedules, rule, p))
        return false;
    const int place = place_of_next_call(c), tags = tags_of_call(c);
    const Means means = {c->rank, c->ranks, c->own, place * tags, tags, NULL, NULL};
    *code = prepare(&carried, call, &means);
    if (*code == MPI_SUCCESS && call->request) {
        *code = begin_operation(c, place, &carried, call->request);
    } else if (*code == MPI_SUCCESS) {
        await_place(c, place);
        *code = carry_out(&carried);
    }
    note_replaced(call->function, rule->algorithm);
    return true;
}

static Reason try_to_replace(const Collective *call, int *code, bool *done)
{
    Question question;
    Problem problem;
    if (!ready())
        return NOT_STARTED;
    if (!may_replace[call->operation])
        return NO_RULE;
    if (call->request && !can_take_turns())
        return NO_PROGRESS;
    Communicator *c = communicator_of(call->comm, !call->request);
    if (!c || c->passes)
        return NO_COMMUNICATOR;
    if (!(c->replaces >> call->operation & 1))
        return NO_RULE;
    if (call->request && c->own == MPI_COMM_NULL)
        return NO_COMMUNICATOR;
    if (check_arguments(call, c) != MPI_SUCCESS) /* an error for the library to report */
        return ODD_ARGUMENTS;
    const Rule *rule = NULL;
    Reason reason = ODD_ARGUMENTS;
    if (describe(call, c, &question, &problem)) {
        question.reproducible = settings()->reproducible;
        rule = find_rule(&settings()->table, &question);
        reason = NO_RULE;
    }
    if (rule && !own_messages(c, call->comm))
        reason = NO_COMMUNICATOR;
    else if (rule) {
        problem.segment = to_elements(rule->segment_bytes, problem.element_bytes);
        problem.fan_out = rule->fan_out;
        problem.lanes = rule->lanes;
        problem.most_chunks = chunks_within(tags_of_call(c), c->ranks);
        *code = call->varies && rule->algorithm->needs_all_counts ? share_counts(c, &problem)
                                                                  : MPI_SUCCESS;
        *done = *code != MPI_SUCCESS || replace(call, c, rule, &problem, code);
        reason = NO_SCHEDULE;
    }
    release_problem(&problem);
    return reason;
}

bool take_over(const Collective *call, int *code)
{
    bool done = false;
    Reason reason = NESTED;
    if (!inside) {
        inside++;
        reason = try_to_replace(call, code, &done);
        inside--; /* before a handler of the program's, which may never come back */
    }
    if (done)
        tell(call->comm, *code);
    else
        note_passed(reason);
    return done;
}

void started(void)
{
    if (ready())
        created(MPI_COMM_WORLD);
}

void created(MPI_Comm comm)
{
    if (inside || comm == MPI_COMM_NULL || !can_take_turns() || !ready())
        return;
    inside++;
    Communicator *c = communicator_of(comm, true);
    if (c && c->replaces)
        own_messages(c, comm);
    inside--;
}
