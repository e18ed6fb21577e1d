/* make_schedules RANKS: makes every schedule of every algorithm for 1 to RANKS ranks, so that a
 * sanitizer sees it done. */
#include "../../src/rankwise/csrc/schedules/algorithm.h"
#include <stdio.h>
#include <stdlib.h>

static long made, refused;

static void make(const Algorithm *algorithm, Problem p)
{
    for (p.rank = 0; p.rank < p.ranks; p.rank++) {
        Schedule s = {0};
        make_schedule(&s, algorithm, &p);
        refused += s.failure != NULL;
        made += s.failure == NULL;
        free_schedule(&s);
    }
}

static void make_all(const Algorithm *algorithm, int ranks)
{
    const int64_t counts[] = {0, 1, 2 * ranks + 1, 4000000000};
    for (int i = 0; i < 4; i++)
        for (int variant = 0; variant < 4; variant++)
            make(algorithm, (Problem){.operation = algorithm->operation,
                                      .ranks = ranks,
                                      .root = variant * (ranks - 1) / 3,
                                      .count = counts[i],
                                      .commutative = variant % 2 || algorithm->commutative_only,
                                      .segment = variant / 2 * (counts[i] / 3 + 1),
                                      .fan_out = variant == 3 ? 3 : 0,
                                      .lanes = variant});
}

int main(int argc, char **argv)
{
    const int most_ranks = argc > 1 ? atoi(argv[1]) : 1;
    for (const Algorithm *a = first_algorithm(); a; a = a->next)
        for (int ranks = 1; ranks <= most_ranks; ranks++)
            make_all(a, ranks);
    printf("%ld %ld\n", made, refused);
    return 0;
}
