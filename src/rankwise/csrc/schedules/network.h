/* Who is near whom, and what the links between the sites are like: what the algorithms for several
 * clusters are generated from. */
#ifndef RANKWISE_NETWORK_H
#define RANKWISE_NETWORK_H

/* Groups within groups: sites first, then what is inside them, nodes last. A level may be missing:
 * without levels all ranks are alike. The links join the groups of the outermost level. */
typedef struct Network {
    int ranks;
    int levels;       /* 2: sites and nodes */
    const int *group; /* shape (levels, ranks): the group's number, unique in its level, from 0 */
    int sites;        /* groups of the outermost level */
    const double *delay_seconds;    /* one way, shape (sites, sites), or NULL: all alike */
    const double *bytes_per_second; /* shape (sites, sites), or NULL: all alike */
    double node_bytes_per_second;   /* of a node's interface; 0: unknown */
    struct Sites *sorted;           /* by sort_network; NULL: sorted anew for each schedule */
} Network;

static inline int group_of(const Network *network, int level, int rank)
{
    return network->group[level * network->ranks + rank];
}

/* The rank's site; 0 without a network. */
static inline int site_of(const Network *network, int rank)
{
    return network && network->levels ? group_of(network, 0, rank) : 0;
}

/* Whether two ranks share a node: the innermost level. */
static inline int share_node(const Network *network, int a, int b)
{
    return !network || !network->levels ||
           group_of(network, network->levels - 1, a) == group_of(network, network->levels - 1, b);
}

#endif
