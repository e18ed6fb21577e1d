/* Networks that have their own memory. */
#include "own_network.h"
#include "sites.h"
#include <stdlib.h>
#include <string.h>

Network *new_network(int ranks, int levels, int sites, int links)
{
    const size_t groups = (size_t)levels * (size_t)ranks, pairs = (size_t)sites * (size_t)sites;
    const size_t figures = links ? 2 * pairs : 0;
    Network *network = calloc(1, sizeof *network + figures * sizeof(double) + groups * sizeof(int));
    if (!network)
        return NULL;
    double *figure = (double *)(network + 1);
    *network = (Network){.ranks = ranks, .levels = levels, .sites = sites};
    network->group = (void *)(figure + figures);
    if (links) {
        network->delay_seconds = figure;
        network->bytes_per_second = figure + pairs;
    }
    return network;
}

void free_network(Network *network)
{
    if (network)
        forget_sorted(network);
    free(network);
}

int *group_array(const Network *network, int level)
{
    return (int *)network->group + (size_t)level * (size_t)network->ranks;
}

typedef struct {
    const char *name;
    int rank;
} Host;

static int by_name(const void *a, const void *b)
{
    const Host *one = a, *other = b;
    const int order = strcmp(one->name, other->name);
    return order ? order : (one->rank > other->rank) - (one->rank < other->rank);
}

/* Equal names are one group, numbered in the order of the names. False: no memory. */
static int number_hosts(int *group, const char *const *hosts, int ranks)
{
    Host *sorted = malloc((size_t)ranks * sizeof *sorted);
    if (!sorted)
        return 0;
    for (int r = 0; r < ranks; r++)
        sorted[r] = (Host){hosts[r], r};
    qsort(sorted, (size_t)ranks, sizeof *sorted, by_name);
    for (int i = 0, number = 0; i < ranks; i++) {
        number += i && strcmp(sorted[i].name, sorted[i - 1].name) != 0;
        group[sorted[i].rank] = number;
    }
    free(sorted);
    return 1;
}

Network *network_of_hosts(const char *const *hosts, int ranks)
{
    Network *network = new_network(ranks, 2, 1, 0);
    if (network && !number_hosts(group_array(network, 1), hosts, ranks)) {
        free_network(network);
        return NULL;
    }
    return network;
}

void set_link(const Network *network, int a, int b, double delay, double rate)
{
    const int pairs[2] = {a * network->sites + b, b * network->sites + a};
    for (int i = 0; i < 2; i++) {
        ((double *)network->delay_seconds)[pairs[i]] = delay;
        ((double *)network->bytes_per_second)[pairs[i]] = rate;
    }
}

Network *uniform_network(int sites, int nodes, int ranks_of_node, int cyclic, double delay_seconds,
                         double bytes_per_second)
{
    const int ranks = sites * nodes * ranks_of_node;
    Network *network = new_network(ranks, 2, sites, 1);
    if (!network)
        return NULL;
    for (int r = 0; r < ranks; r++) {
        const int node = cyclic ? r % (sites * nodes) % sites * nodes + r % (sites * nodes) / sites
                                : r / ranks_of_node;
        group_array(network, 0)[r] = node / nodes;
        group_array(network, 1)[r] = node;
    }
    for (int a = 0; a < sites; a++)
        for (int b = 0; b < a; b++)
            set_link(network, a, b, delay_seconds, bytes_per_second);
    return network;
}
