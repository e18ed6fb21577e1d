/* How one rank's clock relates to the global one, and how a rank learns that from another which has
 * learnt it already. Local seconds are what a rank's time base reads; global seconds are the same
 * moment on the clock of rank 0. */
#ifndef RANKWISE_RUNTIME_CLOCK_MODEL_H
#define RANKWISE_RUNTIME_CLOCK_MODEL_H

#include "time_base.h"
#include <mpi.h>
#include <stdbool.h>

/* global = global_seconds + (local - local_seconds) * rate */
typedef struct {
    double local_seconds, global_seconds, rate;
    double rate_error; /* that the rate may be off; 0 of the reference itself */
} RwClockModel;

double rw_model_global(const RwClockModel *model, double local_seconds);
double rw_model_local(const RwClockModel *model, double global_seconds);

/* Two ranks call these together: one asks the `reference`, which answers its `client` until it has
 * asked enough. */
int rw_model_learn(RwClockModel *model, const RwTimeBase *time, MPI_Comm comm, int reference,
                   bool rate_too);
int rw_model_compare(const RwClockModel *model, const RwTimeBase *time, MPI_Comm comm,
                     int reference, double *error_seconds); /* learns nothing; an upper bound */
int rw_model_answer(const RwClockModel *model, const RwTimeBase *time, MPI_Comm comm, int client);

#endif
