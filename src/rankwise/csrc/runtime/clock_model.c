/* An offset is taken from the exchange with the shortest round trip, whose error is at most half of
 * that; the rate is the slope of a line through several of them. */
#include "clock_model.h"
#include "error.h"
#include <math.h>

enum { ASK = 31, ANSWER = 32, EXCHANGES = 8, FIT_SLOTS = 12 };
static const double FIT_SECONDS = 0.1, REFRESH_SECONDS = 0.002;
static const double QUARTZ_ERROR = 1e-4; /* clocks run no more apart than that, whatever was seen */

typedef struct {
    double local, offset; /* global - local at that local time */
    double round_trip;
} Reading;

double rw_model_global(const RwClockModel *model, double local_seconds)
{
    return model->global_seconds + (local_seconds - model->local_seconds) * model->rate;
}

double rw_model_local(const RwClockModel *model, double global_seconds)
{
    return model->local_seconds + (global_seconds - model->global_seconds) / model->rate;
}

static int ask(const RwTimeBase *time, MPI_Comm comm, int reference, Reading *reading)
{
    double more = 1, global;
    const double begin = rw_time_seconds(time);
    RW_TRY(MPI_Send(&more, 1, MPI_DOUBLE, reference, ASK, comm));
    RW_TRY(MPI_Recv(&global, 1, MPI_DOUBLE, reference, ANSWER, comm, MPI_STATUS_IGNORE));
    const double end = rw_time_seconds(time);
    const double middle = begin + (end - begin) / 2;
    *reading = (Reading){middle, global - middle, end - begin};
    return MPI_SUCCESS;
}

/* The best of at least EXCHANGES readings within `seconds`. */
static int ask_often(const RwTimeBase *time, MPI_Comm comm, int reference, double seconds,
                     Reading *best)
{
    RW_TRY(ask(time, comm, reference, best));
    const double until = best->local + seconds;
    for (int i = 1; i < EXCHANGES || rw_time_seconds(time) < until; i++) {
        Reading reading;
        RW_TRY(ask(time, comm, reference, &reading));
        if (reading.round_trip < best->round_trip)
            *best = reading;
    }
    return MPI_SUCCESS;
}

static int end_asking(MPI_Comm comm, int reference)
{
    double more = 0;
    return MPI_Send(&more, 1, MPI_DOUBLE, reference, ASK, comm);
}

int rw_model_answer(const RwClockModel *model, const RwTimeBase *time, MPI_Comm comm, int client)
{
    for (;;) {
        double more, global;
        RW_TRY(MPI_Recv(&more, 1, MPI_DOUBLE, client, ASK, comm, MPI_STATUS_IGNORE));
        if (more == 0)
            return MPI_SUCCESS;
        global = rw_model_global(model, rw_time_seconds(time));
        RW_TRY(MPI_Send(&global, 1, MPI_DOUBLE, client, ANSWER, comm));
    }
}

/* Least squares of offset over local time. A slope that could be the readings' noise (within three
 * standard errors) counts as none: a wrong rate does more harm than a small drift. */
static void fit(RwClockModel *model, const Reading *readings, int count)
{
    double local = 0, offset = 0, tt = 0, to = 0, residual = 0;
    for (int i = 0; i < count; i++) {
        local += readings[i].local / count;
        offset += readings[i].offset / count;
    }
    for (int i = 0; i < count; i++) {
        tt += (readings[i].local - local) * (readings[i].local - local);
        to += (readings[i].local - local) * (readings[i].offset - offset);
    }
    const double slope = to / tt;
    for (int i = 0; i < count; i++) {
        const double error = readings[i].offset - offset - slope * (readings[i].local - local);
        residual += error * error;
    }
    const double standard_error = sqrt(residual / (count - 2) / tt);
    model->local_seconds = local;
    model->global_seconds = local + offset;
    const bool real = fabs(slope) > 3 * standard_error;
    model->rate = real ? 1 + slope : 1;
    model->rate_error = fmin(3 * standard_error + (real ? 0 : fabs(slope)), QUARTZ_ERROR);
}

int rw_model_learn(RwClockModel *model, const RwTimeBase *time, MPI_Comm comm, int reference,
                   bool rate_too)
{
    Reading readings[FIT_SLOTS];
    if (rate_too) {
        for (int i = 0; i < FIT_SLOTS; i++)
            RW_TRY(ask_often(time, comm, reference, FIT_SECONDS / FIT_SLOTS, &readings[i]));
        fit(model, readings, FIT_SLOTS);
    } else {
        RW_TRY(ask_often(time, comm, reference, REFRESH_SECONDS, &readings[0]));
        model->local_seconds = readings[0].local;
        model->global_seconds = readings[0].local + readings[0].offset;
    }
    return end_asking(comm, reference);
}

int rw_model_compare(const RwClockModel *model, const RwTimeBase *time, MPI_Comm comm,
                     int reference, double *error_seconds)
{
    Reading reading;
    RW_TRY(ask_often(time, comm, reference, REFRESH_SECONDS, &reading));
    /* The two ways may differ: the answer was given at any time of the round trip. */
    *error_seconds = fabs(rw_model_global(model, reading.local) - reading.local - reading.offset) +
                     reading.round_trip / 2;
    return end_asking(comm, reference);
}
