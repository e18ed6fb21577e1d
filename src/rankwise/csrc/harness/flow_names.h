/* Patterns of concurrent messages: flow_names.c reads them, flows.c measures them. */
#ifndef RANKWISE_FLOW_NAMES_H
#define RANKWISE_FLOW_NAMES_H

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

bool is_pattern(const char *text, size_t length);
/* With what `common` has besides; NULL after a message on stderr. */
const Kernel *register_pattern(const Kernel *common, const char *text, size_t length);

#endif
