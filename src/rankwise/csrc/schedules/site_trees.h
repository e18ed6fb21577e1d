/* The best trees over sites, from the delays and rates of the links between them. */
#ifndef RANKWISE_SITE_TREES_H
#define RANKWISE_SITE_TREES_H

#include "sites.h"

/* What is to go over the trees. */
typedef struct {
    int root;           /* the site; -1: any, as for an allreduce, which goes up and down */
    double bytes;       /* of the message */
    double chunk_bytes; /* a relay has all of a chunk before it sends it on */
} Transfer;

typedef struct {
    int *parent; /* shape (sites): the site by which each is served, -1 at the root */
    int root;
    double seconds;          /* until the last site has everything */
    double bytes_per_second; /* of the slowest link that it uses, as far as it was free */
} SiteTree;

/* One tree, or two whose chunks alternate if that is faster by a tenth: returns how many, 0 for
 * lack of memory. Links or interfaces whose rate is unknown are no limit. Heuristic: the trees of
 * least delay over the links of at least each rate, improved by moving single sites. */
int best_site_trees(SiteTree trees[2], const Sites *sites, const Transfer *transfer);
void free_site_trees(SiteTree trees[2]);

#endif
