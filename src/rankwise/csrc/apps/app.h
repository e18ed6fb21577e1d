/* What an application is made of: it registers itself, and main.c runs one of them.
 *
 *     APP(ep) = {.description = "...", .class_names = "SWABC", .start = start, .run = run};
 *
 * The NAS Parallel Benchmarks follow their definitions: D. Bailey et al., "The NAS Parallel
 * Benchmarks", RNR-94-007, and D. Bailey et al., "The NAS Parallel Benchmarks 2.0", NAS-95-020.
 */
#ifndef RANKWISE_APPS_APP_H
#define RANKWISE_APPS_APP_H

#include "computing.h"
#include "counts.h"
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_OPTIONS = 12, REMARK_BYTES = 200 };

/* A number that the command line can set: rays=100000. */
typedef struct {
    const char *name;
    double value; /* by default, until it is set */
    const char *what;
} AppOption;

typedef enum { NOT_CHECKED, RIGHT, WRONG } Verdict;

/* What the application is given, and what it leaves. */
typedef struct {
    MPI_Comm comm;
    int rank, ranks;
    char class_name; /* 'S'; 0 for an application without classes */
    AppOption options[MAX_OPTIONS];
    Computing computing;

    Verdict verdict;
    double seconds;            /* of the part that is timed, on this rank */
    double operations;         /* in it, on all ranks; 0 where a rate means nothing */
    char remark[REMARK_BYTES]; /* of rank 0: what was checked, further figures as JSON members */
    char figures[16 * REMARK_BYTES];
} AppRun;

typedef struct App App;
struct App {
    const char *name, *description;
    const char *class_names; /* "SWABC"; NULL for an application without classes */
    AppOption options[MAX_OPTIONS];
    /* Why it cannot run on so many ranks, as the rest of "it runs on ..."; NULL if it can. */
    const char *(*refuses)(const AppRun *run);
    void (*run)(AppRun *run);
    App *next;
};

#define APP(NAME)                                                                                  \
    static App app_##NAME;                                                                         \
    __attribute__((constructor)) static void register_##NAME(void)                                 \
    {                                                                                              \
        app_##NAME.name = #NAME;                                                                   \
        register_app(&app_##NAME);                                                                 \
    }                                                                                              \
    static App app_##NAME

/* registry.c */
void register_app(App *app);
App *first_app(void);
const App *find_app(const char *name);

/* support.c */
double now_seconds(void);
/* Memory that is all zeros; the job ends if there is none. */
void *memory(const AppRun *run, size_t bytes);
double option(const AppRun *run, const char *name);
bool is_power_of_two(int number);
const char *refuse_unless_power_of_two(const AppRun *run);
/* Which of class_names' letters this run has: 0 for S, 1 for W ... */
int class_number(const AppRun *run);
/* All ranks start their timed part together. */
double begin_timed(const AppRun *run);
void end_timed(AppRun *run, double begun);
/* Notes on rank 0 whether `found` is within `tolerance` (relative) of the published `expected`. */
void check(AppRun *run, const char *what, double found, double expected, double tolerance);
/* Adds a figure to what rank 0 prints. */
void figure(AppRun *run, const char *name, double value);

/* The generator of the NAS Parallel Benchmarks: x' = a x mod 2^46, as a fraction of 2^46. */
#define NAS_MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define NAS_MODULUS (UINT64_C(1) << 46)
static inline double nas_random(uint64_t *x, uint64_t multiplier)
{
    *x = (multiplier * *x) & (NAS_MODULUS - 1); /* 2^46 divides 2^64: nothing is lost */
    return (double)*x / (double)NAS_MODULUS;
}
/* multiplier ^ steps mod 2^46: what takes the generator so many steps ahead at once. */
uint64_t nas_power(uint64_t multiplier, uint64_t steps);

#endif
