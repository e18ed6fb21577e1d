/* Patterns of flows as benchmarks. A pattern is its own name:
 *     pattern:FROM-TO[-BYTES[-START_MICROSECONDS]]+FROM-TO...
 * A flow without bytes has those of the cell. */
#include "flow_names.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char beginning[] = "pattern:";
enum { MOST_FLOWS = 10000 };

static bool refuse(const char *text, size_t length)
{
    fprintf(stderr,
            "rankwise-harness: '%.*s' is no pattern; write "
            "pattern:FROM-TO[-BYTES[-START_MICROSECONDS]]+FROM-TO..., with ranks that differ\n",
            (int)length, text);
    return false;
}

/* Numbers with '-' between, up to '+' or the end of the name; how many, 0 for what is none. */
static int take_numbers(const char **text, const char *end, double numbers[4])
{
    const double most[4] = {1 << 20, 1 << 20, 1 << 30, 1e9};
    for (int i = 0; i < 4; i++) {
        char *rest;
        numbers[i] = (double)strtoul(*text, &rest, 10);
        if (**text < '0' || **text > '9' || rest > end || numbers[i] > most[i])
            return 0;
        *text = rest;
        if (rest == end || *rest == '+')
            return i + 1;
        if (*rest != '-')
            return 0;
        (*text)++;
    }
    return 0;
}

static bool read_flows(const char *text, size_t length, PatternKernel *pattern)
{
    const char *end = text + length, *at = text + sizeof beginning - 1;
    bool sized = false;
    for (double numbers[4] = {0}; pattern->count < MOST_FLOWS; at++, pattern->count++) {
        Flow *flow = &pattern->flows[pattern->count];
        const int given = take_numbers(&at, end, numbers);
        if (given < 2 || numbers[0] == numbers[1])
            return refuse(text, length);
        *flow = (Flow){.from = (int)numbers[0],
                       .to = (int)numbers[1],
                       .bytes = given > 2 ? (int)numbers[2] : OF_CELL,
                       .start_seconds = given > 3 ? numbers[3] * 1e-6 : 0};
        sized |= flow->bytes == OF_CELL;
        const int last = flow->from > flow->to ? flow->from : flow->to;
        if (pattern->kernel.min_ranks <= last)
            pattern->kernel.min_ranks = last + 1;
        if (at == end) {
            pattern->count++;
            pattern->kernel.unsized = !sized;
            return true;
        }
    }
    return refuse(text, length);
}

static size_t flows_in(const char *text, size_t length)
{
    size_t flows = 1;
    for (size_t i = 0; i < length; i++)
        flows += text[i] == '+';
    return flows < MOST_FLOWS ? flows : MOST_FLOWS;
}

bool is_pattern(const char *text, size_t length)
{
    return length > sizeof beginning - 1 && strncmp(text, beginning, sizeof beginning - 1) == 0;
}

const Kernel *register_pattern(const Kernel *common, const char *text, size_t length)
{
    PatternKernel *pattern = calloc(1, sizeof *pattern);
    Flow *flows = calloc(flows_in(text, length), sizeof *flows);
    char *name = malloc(length + 1);
    if (!pattern || !flows || !name) {
        fputs("rankwise-harness: no memory for a pattern\n", stderr);
        goto failed;
    }
    pattern->flows = flows;
    pattern->kernel = *common;
    if (!read_flows(text, length, pattern))
        goto failed;
    memcpy(name, text, length);
    name[length] = '\0';
    pattern->kernel.name = name;
    register_kernel(&pattern->kernel);
    return &pattern->kernel;
failed:
    free(name);
    free(flows);
    free(pattern);
    return NULL;
}
