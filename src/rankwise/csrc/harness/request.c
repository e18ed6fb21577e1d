/* What single arguments ask for: a cell, and the candidates that cells can name. */
#include "flow_names.h"
#include "harness.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_cell(const char *text, const Kernel *pattern, int candidates, CellRequest *request)
{
    const char *colon = strrchr(text, ':'); /* names may have some of their own */
    char *rest = NULL;
    errno = 0;
    const unsigned long long size = colon ? strtoull(colon + 1, &rest, 10) : 0;
    long candidate = 0;
    if (colon && rest != colon + 1 && *rest == '@' && rest[1] >= '0' && rest[1] <= '9')
        candidate = strtol(rest + 1, &rest, 10);
    if (!colon || rest == colon + 1 || *rest || colon[1] == '-' || errno) {
        fprintf(stderr,
                "rankwise-harness: '%s' is no cell; write BENCHMARK:SIZE_BYTES[@CANDIDATE]\n",
                text);
        return false;
    }
    if (candidate > candidates) {
        fprintf(stderr,
                "rankwise-harness: '%s' names candidate %ld of %d; declare it by --candidate\n",
                text, candidate, candidates);
        return false;
    }
    const size_t length = (size_t)(colon - text);
    const Kernel *kernel = find_kernel(text, length);
    if (!kernel && is_pattern(text, length)) {
        kernel = register_pattern(pattern, text, length);
        if (!kernel)
            return false;
    }
    if (!kernel && memchr(text, ':', length))
        kernel = schedule_with_parameters(text, length);
    if (!kernel) {
        fprintf(stderr, "rankwise-harness: unknown benchmark in '%s'; --list shows all\n", text);
        return false;
    }
    *request = (CellRequest){text, kernel, (size_t)size, (int)candidate};
    return true;
}

/* `NAME=VALUE` up to the next comma, or the end. */
static bool take_variable(const char *text, size_t length, Variable *variable)
{
    const char *equals = memchr(text, '=', length);
    const size_t name_bytes = equals ? (size_t)(equals - text) : 0;
    const size_t value_bytes = length - name_bytes - 1;
    if (!name_bytes || name_bytes >= VARIABLE_BYTES || value_bytes >= VALUE_BYTES)
        return false;
    memcpy(variable->name, text, name_bytes);
    memcpy(variable->value, equals + 1, value_bytes);
    return true;
}

static bool take_variables(const char *text, CandidateRequest *request)
{
    *request = (CandidateRequest){0};
    for (const char *one = text; *one; one += one[0] == ',') {
        const size_t length = strcspn(one, ",");
        if (request->count == MOST_VARIABLES ||
            !take_variable(one, length, &request->variables[request->count++]))
            return false;
        one += length;
    }
    return true;
}

bool parse_candidate(const char *text, CandidateRequest **candidates, int *count)
{
    const size_t bytes = ((size_t)*count + 1) * sizeof **candidates;
    CandidateRequest *more = realloc(*candidates, bytes);
    if (!more) {
        fprintf(stderr, "rankwise-harness: cannot allocate %zu bytes for candidates\n", bytes);
        return false;
    }
    *candidates = more;
    if (take_variables(text, &more[(*count)++]))
        return true;
    fprintf(stderr,
            "rankwise-harness: --candidate does not take '%s'; it takes at most %d of "
            "NAME=VALUE[,NAME=VALUE...]\n",
            text, MOST_VARIABLES);
    return false;
}
