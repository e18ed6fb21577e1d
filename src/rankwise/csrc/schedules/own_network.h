/* Networks that have their own memory: for the readers of files, and for tests. */
#ifndef RANKWISE_OWN_NETWORK_H
#define RANKWISE_OWN_NETWORK_H

#include "network.h"

/* One site, whose nodes are the different hosts. NULL: no memory. */
Network *network_of_hosts(const char *const *hosts, int ranks);

/* Sites x nodes x ranks of a node, links all alike; rank by rank (`cyclic`: site by site). A rate
 * of 0: unknown. NULL: no memory. */
Network *uniform_network(int sites, int nodes, int ranks_of_node, int cyclic, double delay_seconds,
                         double bytes_per_second);

void free_network(Network *network);

/* The pieces: a network in one piece of memory, with room for figures of the links if there are
 * `links`; its arrays, to be written until it is handed out. */
Network *new_network(int ranks, int levels, int sites, int links);
int *group_array(const Network *network, int level);
void set_link(const Network *network, int a, int b, double delay_seconds, double bytes_per_second);

#endif
