/* The algorithms, as their files registered them before main, and what all of them divide. */
#include "algorithm.h"
#include <string.h>

static Algorithm *algorithms;

static int order(const Algorithm *a, const Algorithm *b)
{
    return a->operation != b->operation ? (int)a->operation - (int)b->operation
                                        : strcmp(a->name, b->name);
}

void register_algorithm(Algorithm *algorithm)
{
    Algorithm **place = &algorithms;
    while (*place && order(*place, algorithm) < 0)
        place = &(*place)->next;
    algorithm->next = *place;
    *place = algorithm;
}

const Algorithm *first_algorithm(void)
{
    return algorithms;
}

const Algorithm *find_algorithm(Operation operation, const char *name)
{
    const Algorithm *found = algorithms;
    while (found && (found->operation != operation || strcmp(found->name, name) != 0))
        found = found->next;
    return found;
}

const char *operation_name(Operation operation)
{
    static const char *const names[OPERATIONS] = {
        [BCAST] = "bcast",         [REDUCE] = "reduce",
        [ALLREDUCE] = "allreduce", [REDUCE_SCATTER] = "reduce_scatter",
        [GATHER] = "gather",       [SCATTER] = "scatter",
        [ALLGATHER] = "allgather", [ALLTOALL] = "alltoall",
        [BARRIER] = "barrier",     [SCAN] = "scan",
        [EXSCAN] = "exscan",
    };
    return names[operation];
}

static const char *objection(const Algorithm *a, const Problem *p)
{
    if (p->rank < 0 || p->rank >= p->ranks || p->root < 0 || p->root >= p->ranks)
        return "the rank or the root is not among the ranks";
    if (p->count < 0)
        return "a count is negative";
    if (a->commutative_only && !p->commutative)
        return a->commutative_only;
    if (a->even_ranks && p->ranks % 2 && p->ranks > 1)
        return "it needs an even number of ranks";
    if (a->equal_blocks && p->counts)
        return "it needs blocks of one length";
    return a->objection ? a->objection(p) : NULL;
}

void make_schedule(Schedule *s, const Algorithm *algorithm, const Problem *p)
{
    const char *reason = objection(algorithm, p);
    if (reason)
        refuse(s, reason);
    else if (algorithm->generate_fixed)
        algorithm->generate_fixed(s, algorithm, p);
    else
        algorithm->generate(s, p);
}

int64_t block_length(const Problem *p, int rank)
{
    return p->counts ? p->counts[rank] : p->count;
}

int64_t block_start(const Problem *p, int rank)
{
    if (!p->counts)
        return rank * p->count;
    int64_t start = 0;
    for (int r = 0; r < rank; r++)
        start += p->counts[r];
    return start;
}

int64_t part_length(int64_t count, int parts, int part)
{
    return count / parts + (part < count % parts);
}

int64_t part_start(int64_t count, int parts, int part)
{
    const int64_t longer = count % parts;
    return part * (count / parts) + (part < longer ? part : longer);
}

int64_t segment_or(const Problem *p, int64_t length, int64_t bytes, int64_t most)
{
    if (p->segment > 0)
        return p->segment;
    const int64_t element = p->element_bytes > 0 ? p->element_bytes : 8;
    const int64_t wanted = bytes > element ? bytes / element : 1,
                  least = (length + most - 1) / most;
    return wanted > least ? wanted : least;
}

const char *needs_a_fan_out_of_two(const Problem *p)
{
    return p->fan_out < 0 || p->fan_out == 1 ? "its fan-out must be two or more" : NULL;
}
