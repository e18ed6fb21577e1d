/* What time this rank reads: seconds of CLOCK_MONOTONIC since a common base. */
#ifndef RANKWISE_RUNTIME_TIME_BASE_H
#define RANKWISE_RUNTIME_TIME_BASE_H

typedef struct {
    long long base_seconds; /* subtracted first: a double of a year's seconds has only 4 ns steps */
    double rate, offset_seconds; /* 1 and 0, but in tests of clocks that differ */
} RwTimeBase;

typedef struct {
    double cost_seconds, resolution_seconds;
} RwTimer;

void rw_time_start(RwTimeBase *time); /* the base is now */
double rw_time_seconds(const RwTimeBase *time);
RwTimer rw_time_measure(const RwTimeBase *time); /* what one reading costs */

#endif
