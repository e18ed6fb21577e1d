/* A benchmark that carries out a schedule: what only the files that make and run them know. */
#ifndef RANKWISE_SCHEDULE_KERNEL_H
#define RANKWISE_SCHEDULE_KERNEL_H

#include "../schedules/algorithm.h"
#include "kernel.h"

/* A Kernel of the category SCHEDULE is the first member of one of these. */
typedef struct {
    Kernel kernel;
    const Kernel *native; /* the operation's own benchmark */
    Operation operation;
    const Algorithm *algorithm;
    bool has_counts;                       /* blocks of several lengths */
    int64_t segment_bytes, fan_out, lanes; /* 0: the algorithm's choice */
} ScheduleKernel;

#endif
