/* Patterns of concurrent messages: flow_names.c reads them, flows.c measures them. */
#ifndef RANKWISE_FLOWS_H
#define RANKWISE_FLOWS_H

#include "kernel.h"

enum { OF_CELL = -1 }; /* as bytes */
typedef struct {
    int from, to, bytes;
    double start_seconds;
} Flow;

/* A Kernel of the category PATTERN is the first member of one of these. */
typedef struct {
    Kernel kernel;
    Flow *flows;
    int count;
} PatternKernel;

extern const Kernel flow_kernel; /* what all patterns have in common */

bool is_pattern(const char *text, size_t length);
/* NULL after a message on stderr. */
const Kernel *register_pattern(const char *text, size_t length);

#endif
