/* Two models that run side by side and exchange, in every step, the field where they meet. Patterns
 * after T. Eickermann, H. Grund, J. Henrichs, "Performance Issues of Distributed MPI Applications
 * in a German Gigabit Testbed", 1999, section 4.
 *
 * The first half of the ranks is one model, the others the second; each distributes the field over
 * its ranks in blocks. What a step computes is waited for, so that only messages need the cores. */
#include "coupled_cells.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void receive(Model *m)
{
    for (int i = 0; i < m->count; i++) {
        const Part *one = &m->parts[i];
        MPI_Irecv(m->theirs + one->first, (int)one->count, MPI_DOUBLE, one->peer, 0, m->run->comm,
                  &m->requests[m->waiting++]);
    }
}

static void send(Model *m, double *field)
{
    for (int i = 0; i < m->count; i++) {
        const Part *one = &m->parts[i];
        MPI_Isend(field + one->first, (int)one->count, MPI_DOUBLE, one->peer, 0, m->run->comm,
                  &m->requests[m->waiting++]);
    }
}

static double ended(Model *m, double since)
{
    MPI_Waitall(m->waiting, m->requests, MPI_STATUSES_IGNORE);
    m->waiting = 0;
    return now_seconds() - since;
}

/* A step takes as long as was asked for, or as long as its arithmetic does if that is more. */
static void compute(Model *m, double seconds)
{
    const double begun = now_seconds();
    advance_cells(m);
    const double left = seconds - (now_seconds() - begun);
    if (left > 0)
        wait_for(&m->run->computing, left);
}

/* Returns the seconds in messages. All of a model's own are sent before any is computed. */
static double exchange_then_compute(Model *m, double seconds)
{
    const double begun = now_seconds();
    if (m->receives)
        receive(m);
    if (m->sends)
        send(m, m->mine);
    const double spent = ended(m, begun);
    compute(m, seconds);
    return spent;
}

/* One model computes with what the other one has just found. */
static double take_turns(Model *m, double seconds)
{
    double begun = now_seconds(), spent;
    if (!m->first) {
        receive(m);
        spent = ended(m, begun);
        compute(m, seconds);
        begun = now_seconds();
        send(m, m->mine);
        spent += ended(m, begun);
    } else {
        send(m, m->mine);
        receive(m);
        spent = ended(m, begun);
        compute(m, seconds);
    }
    return spent > seconds ? spent - seconds : 0; /* meanwhile the other one computes */
}

/* Messages are under way while the step is computed with what came in the one before. */
static double compute_meanwhile(Model *m, double *arriving, double seconds)
{
    double *used = m->theirs, begun = now_seconds(), spent;
    memcpy(m->sent, m->mine, sizeof(double) * (size_t)m->cells);
    m->theirs = arriving;
    receive(m);
    send(m, m->sent);
    m->theirs = used;
    spent = now_seconds() - begun;
    compute(m, seconds);
    return spent + ended(m, now_seconds());
}

static void run_steps(Model *m, int steps, double seconds)
{
    double *spare = m->hidden ? memory(m->run, sizeof(double) * (size_t)m->cells) : NULL;
    for (int i = 0; i < steps; i++) {
        const double begun = now_seconds();
        if (m->hidden) {
            m->exchanges[i] = compute_meanwhile(m, spare, seconds);
            double *came = spare;
            spare = m->theirs;
            m->theirs = came;
        } else if (m->turns) {
            m->exchanges[i] = take_turns(m, seconds);
        } else {
            m->exchanges[i] = exchange_then_compute(m, seconds);
        }
        m->steps[i] = now_seconds() - begun;
    }
    if (m->hidden)
        compute(m, 0); /* with what came last */
    free(spare);
}

/* Rank 0 judges the cell that is farthest from what it should be. */
static void verify(Model *m, int steps)
{
    AppRun *r = m->run;
    const double of_one = expected(m, steps, 1, 0), of_other = expected(m, steps, 0, 1);
    double worst[3] = {0, 1, 1}; /* how far, what it is, what it should be */
    for (int64_t i = 0; i < m->cells; i++) {
        const int64_t cell = m->low + i;
        const double should = of_one * initial(true, cell) + of_other * initial(false, cell);
        const double far = fabs(m->mine[i] - should) / (fabs(should) + 1e-30);
        if (!(far <= worst[0])) {
            worst[0] = far;
            worst[1] = m->mine[i];
            worst[2] = should;
        }
    }
    double *all = memory(r, sizeof worst * (size_t)r->ranks);
    MPI_Gather(worst, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, r->comm);
    for (int i = 0; i < r->ranks; i++)
        check(r, "a cell", all[3 * i + 1], all[3 * i + 2], 1e-9);
    free(all);
}

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double middle(const double *sorted, int count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* A step takes as long as on the rank that took longest. */
static void tell(Model *m, int steps)
{
    AppRun *r = m->run;
    const size_t bytes = sizeof(double) * (size_t)steps;
    double *whole = memory(r, bytes), *messages = memory(r, bytes);
    MPI_Reduce(m->steps, whole, steps, MPI_DOUBLE, MPI_MAX, 0, r->comm);
    MPI_Reduce(m->exchanges, messages, steps, MPI_DOUBLE, MPI_MAX, 0, r->comm);
    figure(r, "bytes", option(r, "bytes"));
    figure(r, "first_exchange_seconds", messages[0]);
    qsort(whole, (size_t)steps, sizeof *whole, ascending);
    qsort(messages, (size_t)steps, sizeof *messages, ascending);
    figure(r, "longest_exchange_seconds", messages[steps - 1]);
    figure(r, "exchange_seconds", middle(messages, steps));
    figure(r, "step_seconds", middle(whole, steps));
    figure(r, "lower_step_seconds", whole[(steps - 1) / 4]); /* quartiles */
    figure(r, "upper_step_seconds", whole[steps - 1 - (steps - 1) / 4]);
    free(whole);
    free(messages);
}

static void run(AppRun *r)
{
    const int steps = (int)option(r, "steps");
    Model m = {.run = r, .both = option(r, "both") != 0, .turns = option(r, "turns") != 0};
    m.hidden = option(r, "hidden") != 0;
    distribute(&m, (int64_t)(option(r, "bytes") / sizeof(double)));
    m.sends = m.both || m.first;
    m.receives = m.both || !m.first;
    const size_t bytes = sizeof(double) * (size_t)m.cells;
    m.requests = memory(r, sizeof(MPI_Request) * 2 * (size_t)m.count);
    m.mine = memory(r, bytes);
    m.theirs = memory(r, bytes);
    m.sent = m.hidden ? memory(r, bytes) : NULL;
    m.steps = memory(r, sizeof(double) * (size_t)steps);
    m.exchanges = memory(r, sizeof(double) * (size_t)steps);
    for (int64_t i = 0; i < m.cells; i++)
        m.mine[i] = initial(m.first, m.low + i);
    memset(m.theirs, 0, bytes); /* its pages are there before anything is timed */
    const double begun = begin_timed(r);
    run_steps(&m, steps, option(r, "computing"));
    end_timed(r, begun);
    verify(&m, steps);
    tell(&m, steps);
    free(m.parts);
    free(m.requests);
    free(m.mine);
    free(m.theirs);
    free(m.sent);
    free(m.steps);
    free(m.exchanges);
}

static const char *refuses(const AppRun *r)
{
    const bool both = option(r, "both") != 0, turns = option(r, "turns") != 0;
    const bool hidden = option(r, "hidden") != 0;
    if (r->ranks < 2)
        return "2 ranks or more: each of the models needs one";
    if (!(option(r, "bytes") >= 8.0 * r->ranks && option(r, "bytes") < 8e9))
        return "a field of 8 bytes or more for each rank, and less than 8 GB";
    if (!(option(r, "steps") >= 1 && option(r, "steps") <= 1e5))
        return "1 step or more, and at most 100000";
    if (!(option(r, "computing") >= 0 && option(r, "computing") <= 3600))
        return "steps that compute for an hour at most";
    if ((turns || hidden) && (!both || turns == hidden))
        return "turns or hidden messages, not both, and only where both models send";
    return NULL;
}

APP(coupled) = {
    .description = "two models that exchange a field in every step",
    .options = {{"bytes", 1e6, "of the field, in each direction"},
                {"both", 1, "both models send; 0: the first one alone"},
                {"turns", 0, "one computes after the other"},
                {"hidden", 0, "messages are under way while a step is computed"},
                {"computing", 0.1, "seconds that a model computes in a step"},
                {"steps", 10, "in all"}},
    .refuses = refuses,
    .run = run,
};
