/* Streams: messages of one size one way, without a barrier between them, and when each arrives.
 *
 * What is seen is how a connection gets going, so it must begin as one that is new or has long been
 * idle. TCP halves its congestion window for each retransmission timeout (the round trip, and 0.2 s
 * at least) of silence and is back at the initial one after ten of them, unless the window was
 * beyond a thousand times that, if net.ipv4.tcp_slow_start_after_idle is 1 (the default; BBR does
 * not heed it). What the connection has learnt otherwise, such as its slow start threshold, it
 * keeps. Hence the pause before a stream between hosts, in which all ranks sleep: a rank that
 * waited inside the library could make it send. A fresh connection needs none.
 */
#include "harness.h"
#include <string.h>

enum { OPENING = 61, ARRIVALS = 62 };
static const double IDLE_TIMEOUTS = 10, LEAST_TIMEOUT_SECONDS = 0.2;

/* A few empty messages to and fro: libraries connect at the first one. Empty, or the congestion
 * window and its threshold would be this stream's before it began. Returns the shortest round trip,
 * on the leading rank only. */
static double open_connection(const Cell *c)
{
    enum { EXCHANGES = 5 };
    double shortest = 0;
    for (int i = 0; i < EXCHANGES && c->active; i++) {
        const double begin = local_seconds(c->job);
        if (c->leads)
            MPI_Send(NULL, 0, MPI_BYTE, c->partner, OPENING, c->comm);
        MPI_Recv(NULL, 0, MPI_BYTE, c->partner, OPENING, c->comm, MPI_STATUS_IGNORE);
        if (!c->leads)
            MPI_Send(NULL, 0, MPI_BYTE, c->partner, OPENING, c->comm);
        const double seconds = local_seconds(c->job) - begin;
        shortest = i == 0 || seconds < shortest ? seconds : shortest;
    }
    return c->leads ? shortest : 0;
}

/* The longest that any rank asks for is kept by all. */
static double pause_seconds(const Cell *c, const Options *options)
{
    const double round_trip = c->kernel->fresh ? 0 : open_connection(c);
    if (options->idle_seconds >= 0)
        return options->idle_seconds;
    if (c->kernel->fresh || !c->leads ||
        strcmp(host_of(c->job, c->rank), host_of(c->job, c->partner)) == 0)
        return 0;
    return IDLE_TIMEOUTS * (LEAST_TIMEOUT_SECONDS + round_trip);
}

/* All messages; `moments` are when each had come, or was handed over, and `values` what the gauges
 * then said on the sender, shape (gauges, messages). */
static void pass_messages(Cell *c, int messages, double *moments, double *values)
{
    const Run run = run_of(c->kernel);
    const Gauges *gauges = c->leads ? c->kernel->gauges : NULL;
    for (int i = 0; i < messages; i++) {
        double now[MOST_GAUGES];
        run(c);
        moments[i] = local_seconds(c->job);
        if (gauges)
            gauges->read(c, now);
        for (int g = 0; gauges && g < gauges->count; g++)
            values[g * messages + i] = now[g];
        if (c->regions > 1)
            next_buffers(c);
    }
}

/* From arrival to arrival, the first from the start; received from the last rank by rank 0. */
static void gather_arrivals(const Cell *c, double start, int messages, double *moments)
{
    if (c->leads) {
        MPI_Recv(moments, messages, MPI_DOUBLE, c->partner, ARRIVALS, c->job->comm,
                 MPI_STATUS_IGNORE);
        return;
    }
    double before = global_of(c->job, start);
    for (int i = 0; i < messages; i++) {
        const double arrival = global_of(c->job, moments[i]);
        moments[i] = arrival - before;
        before = arrival;
    }
    MPI_Send(moments, messages, MPI_DOUBLE, c->partner, ARRIVALS, c->job->comm);
}

static void emit_gauges(const Cell *c, double start, int messages, double *moments,
                        const double *values)
{
    const Gauges *gauges = c->kernel->gauges;
    for (int i = 0; i < messages; i++)
        moments[i] -= start;
    for (int g = 0; g < gauges->count; g++)
        emit_timeline(c, &(Timeline){.quantity = gauges->quantities[g],
                                     .count = messages,
                                     .times_seconds = moments,
                                     .values = values + g * messages});
}

void measure_stream(Cell *c, const Options *options)
{
    const int messages = options->messages;
    const bool gauged = c->leads && c->kernel->gauges;
    double *moments = c->records, *arrivals = moments + messages, *values = arrivals + messages;
    Start start = {.at_agreed_time = true};
    start.local_seconds = start_after(c->job, pause_seconds(c, options));
    wait_for_start(c->job, &start);
    if (c->active) {
        pass_messages(c, messages, c->leads ? moments : arrivals, values);
        gather_arrivals(c, start.local_seconds, messages, arrivals);
    }
    wait_for_all(c->job);
    if (c->leads)
        emit_series(c, &(Series){.quantity = "time",
                                 .batch = 1,
                                 .count = messages,
                                 .at_agreed_time = true,
                                 .samples_seconds = arrivals});
    if (gauged)
        emit_gauges(c, start.local_seconds, messages, moments, values);
}
