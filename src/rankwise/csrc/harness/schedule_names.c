/* The benchmarks of schedules: every algorithm of an operation, by the name OPERATION.ALGORITHM.
 * What moves, and how its data are checked, is what the operation's own benchmark says. Parameters
 * are part of a name: bcast.chain:segment=64K:fan_out=2. */
#include "../schedules/schedule_file.h"
#include "../schedules/text_file.h"
#include "harness.h"
#include "schedule_kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The benchmarks of an operation are its own and those with these endings. */
enum { ENDINGS = 3 };
static const char *const endings[ENDINGS] = {"", "v", "_block"};

static char *joined(const char *a, const char *b, const char *c)
{
    char *text = malloc(strlen(a) + strlen(b) + strlen(c) + 1);
    if (text)
        sprintf(text, "%s%s%s", a, b, c);
    return text;
}

static bool enough(const void *memory)
{
    if (!memory)
        fputs("rankwise-harness: no memory for the names of the schedules\n", stderr);
    return memory != NULL;
}

/* The v-variants and MPI_Reduce_scatter have blocks of several lengths. */
static bool has_counts(const Kernel *native)
{
    return native->unequal || native->setup == divide_block;
}

/* Algorithms need not be right in place where another block's input would be overwritten. */
static InPlace in_place_of(const Kernel *native, Operation operation)
{
    return operation == ALLTOALL || operation == REDUCE_SCATTER ? NEVER_IN_PLACE : native->in_place;
}

static bool add_schedule(const Kernel *native, const Algorithm *algorithm, const Kernel *how)
{
    ScheduleKernel *s = calloc(1, sizeof *s);
    char *whole = joined(native->name, ".", algorithm->name);
    if (!enough(s) || !enough(whole))
        return false;
    s->native = native;
    s->operation = algorithm->operation;
    s->algorithm = algorithm;
    s->has_counts = has_counts(native);
    s->kernel = *native;
    s->kernel.category = SCHEDULE;
    s->kernel.name = whole;
    s->kernel.description = algorithm->description;
    s->kernel.even_ranks = algorithm->even_ranks;
    s->kernel.in_place = in_place_of(native, algorithm->operation);
    s->kernel.unsupported = NULL; /* messages are all that it takes */
    s->kernel.setup = how->setup;
    s->kernel.prepare = how->prepare;
    s->kernel.run = how->run;
    s->kernel.teardown = how->teardown;
    register_kernel(&s->kernel);
    return true;
}

/* NULL: there is none with this ending. */
static const Kernel *native_of(Operation operation, size_t ending)
{
    char name[64];
    const int length =
        snprintf(name, sizeof name, "%s%s", operation_name(operation), endings[ending]);
    return find_kernel(name, (size_t)length);
}

bool register_schedules(const Kernel *how)
{
    for (const Algorithm *a = first_algorithm(); a; a = a->next) {
        for (size_t i = 0; i < ENDINGS; i++) {
            const Kernel *native = native_of(a->operation, i);
            if (native && !(a->equal_blocks && has_counts(native)) && !add_schedule(native, a, how))
                return false;
        }
    }
    return true;
}

/* One NAME=VALUE, of those that the algorithm heeds. */
static bool take_parameter(ScheduleKernel *s, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : length;
    const Algorithm *a = s->algorithm;
    int64_t number = 0;
    int64_t *const target =
        name == 7 && a->segmented && strncmp(text, "segment", name) == 0 ? &s->segment_bytes
        : name == 7 && a->fans && strncmp(text, "fan_out", name) == 0    ? &s->fan_out
        : name == 5 && a->lanes && strncmp(text, "lanes", name) == 0     ? &s->lanes
                                                                         : NULL;
    if (!target) {
        fprintf(stderr, "rankwise-harness: %s has no parameter '%.*s'; it takes%s%s%s%s\n",
                s->kernel.name, (int)name, text, a->segmented ? " segment" : "",
                a->fans ? " fan_out" : "", a->lanes ? " lanes" : "",
                a->segmented || a->fans || a->lanes ? "" : " none");
        return false;
    }
    const char *end = equals ? equals + 1 : text;
    if (!read_size(&end, target == &s->segment_bytes ? INT64_MAX : 1 << 20, &number) ||
        end != text + length || number < 1) {
        fprintf(stderr, "rankwise-harness: %s: '%.*s' is no number from 1 on (64K, 1M)\n",
                s->kernel.name, (int)length, text);
        return false;
    }
    *target = number;
    return true;
}

const Kernel *schedule_with_parameters(const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    const Kernel *plain = colon ? find_kernel(text, (size_t)(colon - text)) : NULL;
    if (!plain || plain->category != SCHEDULE)
        return NULL; /* a file's name is no parameter: it is registered as a whole */
    ScheduleKernel *s = malloc(sizeof *s);
    char *name = malloc(length + 1);
    if (!enough(s) || !enough(name))
        return NULL;
    *s = *(const ScheduleKernel *)plain;
    memcpy(name, text, length);
    name[length] = '\0';
    for (const char *one = colon + 1; one <= text + length;) {
        const char *end = memchr(one, ':', (size_t)(text + length - one));
        if (!end)
            end = text + length;
        if (!take_parameter(s, one, (size_t)(end - one)))
            return NULL;
        one = end + 1;
    }
    s->kernel.name = name;
    register_kernel(&s->kernel);
    return &s->kernel;
}

static const Kernel *any_schedule(void)
{
    const Kernel *kernel = first_kernel();
    while (kernel && kernel->category != SCHEDULE)
        kernel = kernel->next;
    return kernel;
}

/* Letters, digits, '_', '-' and '.': the name is part of arguments and of JSON. */
static bool take_file_name(const char *text, size_t length, char *name, size_t bytes)
{
    const size_t known = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-.");
    if (!length || known != length || length + sizeof "file:" > bytes)
        return false;
    snprintf(name, bytes, "file:%.*s", (int)length, text);
    return true;
}

bool register_schedule_file(const char *text)
{
    const char *equals = strchr(text, '=');
    char name[128], error[512];
    if (!equals || !take_file_name(text, (size_t)(equals - text), name, sizeof name)) {
        fprintf(stderr,
                "rankwise-harness: --schedule does not take '%s'; it takes NAME=FILE, with "
                "letters, digits, '_', '-' and '.' in the name\n",
                text);
        return false;
    }
    const Algorithm *algorithm = read_schedule(equals + 1, name, error, sizeof error);
    if (!algorithm) {
        fprintf(stderr, "rankwise-harness: %s\n", error);
        return false;
    }
    size_t ending = 0; /* of blocks of one length: a file is for these */
    while (ending + 1 < ENDINGS && (!native_of(algorithm->operation, ending) ||
                                    has_counts(native_of(algorithm->operation, ending))))
        ending++;
    return add_schedule(native_of(algorithm->operation, ending), algorithm, any_schedule());
}
