/* make_schedules RANKS: makes every schedule of every algorithm for 1 to RANKS ranks, so that a
 * sanitizer sees it done; and in networks too, which make the same schedules sorted and unsorted.
 */
#include "../../src/rankwise/csrc/schedules/own_network.h"
#include "../../src/rankwise/csrc/schedules/sites.h"
#include <stdio.h>
#include <stdlib.h>

static long made, refused, different;

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

static bool equal(const Schedule *a, const Schedule *b)
{
    bool same = a->count == b->count && a->scratch == b->scratch && a->tags == b->tags &&
                !a->failure == !b->failure;
    for (int i = 0; same && i < a->count; i++)
        same = a->steps[i].kind == b->steps[i].kind && a->steps[i].peer == b->steps[i].peer &&
               a->steps[i].tag == b->steps[i].tag && a->steps[i].length == b->steps[i].length;
    return same;
}

static void make_sorted(const Algorithm *algorithm, int ranks)
{
    const int sites = ranks % 2 ? 1 : 2;
    Network *network = uniform_network(sites, ranks / sites, 1, 1, 1e-3, 1e8);
    Problem p = {algorithm->operation, .ranks = ranks, .root = ranks - 1, .count = 5};
    p.commutative = true;
    p.network = network;
    for (p.rank = 0; network && p.rank < ranks; p.rank++) {
        Schedule unsorted = {0}, sorted = {0};
        make_schedule(&unsorted, algorithm, &p);
        sort_network(network);
        make_schedule(&sorted, algorithm, &p);
        forget_sorted(network);
        different += !equal(&unsorted, &sorted);
        free_schedule(&unsorted);
        free_schedule(&sorted);
    }
    free_network(network);
}

int main(int argc, char **argv)
{
    const int most_ranks = argc > 1 ? atoi(argv[1]) : 1;
    for (const Algorithm *a = first_algorithm(); a; a = a->next)
        for (int ranks = 1; ranks <= most_ranks; ranks++) {
            make_all(a, ranks);
            if (a->for_networks)
                make_sorted(a, ranks);
        }
    printf("%ld %ld\n", made, refused);
    return different != 0;
}
