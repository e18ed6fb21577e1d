/* IS: ranks integer keys by buckets, which go to the rank that has their range of values. */
#include "app.h"
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 10, TESTS = 5, CLASSES = 5 };
typedef struct {
    int log_keys, log_values, log_buckets;
    int index[TESTS], rank[TESTS];  /* where the keys lie that are looked at, and their ranks */
    int drift[TESTS], delay[TESTS]; /* a rank moves by drift (iteration - delay) */
} Problem;
static const Problem problems[CLASSES] = {
    {16,
     11,
     9,
     {48427, 17148, 23627, 62548, 4431},
     {0, 18, 346, 64917, 65463},
     {1, 1, 1, -1, -1},
     {0}},
    {20,
     16,
     10,
     {357773, 934767, 875723, 898999, 404505},
     {1249, 11698, 1039987, 1043896, 1048018},
     {1, 1, -1, -1, -1},
     {2, 2}},
    {23,
     19,
     10,
     {2112377, 662041, 5336171, 3642833, 4250760},
     {104, 17523, 123928, 8288932, 8388264},
     {1, 1, 1, -1, -1},
     {1, 1, 1, 1, 1}},
    {25,
     21,
     10,
     {41869, 812306, 5102857, 18232239, 26860214},
     {33422937, 10244, 59149, 33135281, 99},
     {-1, 1, 1, -1, 1},
     {0}},
    {27,
     23,
     10,
     {44172927, 72999161, 74326391, 129606274, 21736814},
     {61147, 882988, 266290, 133997595, 133525895},
     {1, 1, 1, -1, -1},
     {0}},
};

typedef struct {
    const Problem *problem;
    int key_count, shift, buckets; /* keys of this rank; a key's bucket is key >> shift */
    int *keys, *sorted, *received, *population;
    int *sizes, *totals; /* by bucket, here and on all ranks; the keys to be looked at behind */
    int *first;          /* the first bucket of each rank, and the end of the last one's */
    int *to, *to_start, *from, *from_start; /* by rank */
    int received_count, room, lesser;       /* keys that came, may come, are on lower ranks */
} Keys;

static void make_keys(const AppRun *run, Keys *k)
{
    const uint64_t ahead = 4 * (uint64_t)run->rank * (uint64_t)k->key_count;
    uint64_t state = UINT64_C(314159265) * nas_power(NAS_MULTIPLIER, ahead);
    const double quarter = (double)(1 << k->problem->log_values) / 4;
    state &= NAS_MODULUS - 1;
    for (int i = 0; i < k->key_count; i++) {
        double sum = nas_random(&state, NAS_MULTIPLIER);
        for (int more = 0; more < 3; more++)
            sum += nas_random(&state, NAS_MULTIPLIER);
        k->keys[i] = (int)(quarter * sum);
    }
}

static void prepare(const AppRun *run, Keys *k)
{
    k->problem = &problems[class_number(run)];
    k->key_count = (1 << k->problem->log_keys) / run->ranks;
    k->buckets = 1 << k->problem->log_buckets;
    k->shift = k->problem->log_values - k->problem->log_buckets;
    int **const arrays[] = {&k->to, &k->to_start, &k->from, &k->from_start, &k->first};
    for (int i = 0; i < 5; i++)
        *arrays[i] = memory(run, sizeof(int) * ((size_t)run->ranks + 1));
    k->sizes = memory(run, sizeof(int) * (size_t)(k->buckets + TESTS));
    k->totals = memory(run, sizeof(int) * (size_t)(k->buckets + TESTS));
    k->keys = memory(run, sizeof(int) * (size_t)k->key_count);
    k->sorted = memory(run, sizeof(int) * (size_t)k->key_count);
    k->population = memory(run, sizeof(int) << k->problem->log_values);
    make_keys(run, k);
}

static void release(Keys *k)
{
    int *const arrays[] = {k->to,     k->to_start, k->from,   k->from_start, k->first,   k->sizes,
                           k->totals, k->keys,     k->sorted, k->population, k->received};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

static void sort_into_buckets(const AppRun *run, Keys *k)
{
    int *const places = k->population; /* free at this time, and larger than the buckets */
    memset(k->sizes, 0, sizeof(int) * (size_t)(k->buckets + TESTS));
    for (int i = 0; i < TESTS; i++)
        if (k->problem->index[i] / k->key_count == run->rank)
            k->sizes[k->buckets + i] = k->keys[k->problem->index[i] % k->key_count];
    for (int i = 0; i < k->key_count; i++)
        k->sizes[k->keys[i] >> k->shift]++;
    for (int i = 0, place = 0; i < k->buckets; place += k->sizes[i++])
        places[i] = place;
    for (int i = 0; i < k->key_count; i++)
        k->sorted[places[k->keys[i] >> k->shift]++] = k->keys[i];
}

/* Buckets go to a rank until all up to it have their share of the keys. */
static void deal_out_buckets(const AppRun *run, Keys *k)
{
    int64_t sum = 0;
    int rank = 0;
    memset(k->to, 0, sizeof(int) * (size_t)run->ranks);
    for (int i = 0; i < k->buckets; i++) {
        sum += k->totals[i];
        k->to[rank] += k->sizes[i];
        if (sum >= (int64_t)(rank + 1) * k->key_count && rank + 1 < run->ranks)
            k->first[++rank] = i + 1;
    }
    while (rank < run->ranks)
        k->first[++rank] = k->buckets;
    if (run->computing.skipped) /* nothing was counted: all ranks have as much for one another */
        for (int i = 0; i < run->ranks; i++)
            k->to[i] = k->key_count / run->ranks;
}

static void exchange(const AppRun *run, Keys *k)
{
    MPI_Alltoall(k->to, 1, MPI_INT, k->from, 1, MPI_INT, run->comm);
    k->received_count = 0;
    for (int i = 0, sent = 0; i < run->ranks; sent += k->to[i++]) {
        k->to_start[i] = sent;
        k->from_start[i] = k->received_count;
        k->received_count += k->from[i];
    }
    if (k->received_count > k->room) {
        free(k->received);
        k->room = k->received_count;
        k->received = memory(run, sizeof(int) * (size_t)k->room);
    }
    MPI_Alltoallv(k->sorted, k->to, k->to_start, MPI_INT, k->received, k->from, k->from_start,
                  MPI_INT, run->comm);
}

/* Afterwards the number of keys up to each value, of this rank's values. */
static void count_keys(const AppRun *run, Keys *k)
{
    const int low = k->first[run->rank] << k->shift, high = k->first[run->rank + 1] << k->shift;
    k->lesser = 0;
    for (int i = 0; i < k->first[run->rank]; i++)
        k->lesser += k->totals[i];
    memset(k->population, 0, sizeof(int) << k->problem->log_values);
    for (int i = 0; i < k->received_count; i++)
        k->population[k->received[i]]++;
    for (int i = low + 1; i < high; i++)
        k->population[i] += k->population[i - 1];
}

/* How many of the keys that are looked at are here, and have the published rank. */
static int right_ranks(const AppRun *run, const Keys *k, int iteration)
{
    const int low = k->first[run->rank] << k->shift, high = k->first[run->rank + 1] << k->shift;
    int right = 0;
    for (int i = 0; i < TESTS; i++) {
        const int key = k->totals[k->buckets + i];
        if (key < low || key >= high)
            continue;
        const int below = key > low ? k->population[key - 1] : 0;
        const int moves = iteration - k->problem->delay[i];
        right += k->lesser + below == k->problem->rank[i] + k->problem->drift[i] * moves;
    }
    return right;
}

static int iterate(AppRun *run, Keys *k, int iteration)
{
    int right = 0;
    if (run->rank == 0) {
        k->keys[iteration] = iteration;
        k->keys[iteration + ITERATIONS] = (1 << k->problem->log_values) - iteration;
    }
    COMPUTE(run, 0)
    {
        sort_into_buckets(run, k);
    }
    MPI_Allreduce(k->sizes, k->totals, k->buckets + TESTS, MPI_INT, MPI_SUM, run->comm);
    deal_out_buckets(run, k);
    exchange(run, k);
    COMPUTE(run, 1)
    {
        count_keys(run, k);
        right = right_ranks(run, k, iteration);
    }
    return right;
}

/* Keys that are in no wrong rank's range, none of them lost: with their counts they are sorted. */
static int keys_in_place(const AppRun *run, const Keys *k)
{
    const int low = k->first[run->rank], high = k->first[run->rank + 1];
    int in_place = 0;
    for (int i = 0; i < k->received_count; i++) {
        const int bucket = k->received[i] >> k->shift;
        in_place += bucket >= low && bucket < high;
    }
    return in_place;
}

static void run(AppRun *r)
{
    Keys keys = {0};
    prepare(r, &keys);
    iterate(r, &keys, 1); /* untimed: pages and connections are there afterwards */
    int mine[2] = {0, 0}, all[2] = {0, 0};
    const double begun = begin_timed(r);
    for (int i = 1; i <= ITERATIONS; i++)
        mine[0] += iterate(r, &keys, i);
    end_timed(r, begun);
    mine[1] = keys_in_place(r, &keys);
    MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, r->comm);
    const int key_count = 1 << keys.problem->log_keys;
    r->operations = (double)ITERATIONS * key_count; /* keys ranked */
    check(r, "the number of right ranks", all[0], ITERATIONS * TESTS, 0);
    check(r, "the number of keys in place", all[1], key_count, 0);
    release(&keys);
}

static const char *refuses(const AppRun *r)
{
    return r->ranks > 512 ? "1, 2, 4, 8 ... 512 ranks" : refuse_unless_power_of_two(r);
}

APP(is) = {
    .description = "integer sort: Allreduce, Alltoall, Alltoallv",
    .class_names = "SWABC",
    .refuses = refuses,
    .run = run,
};
