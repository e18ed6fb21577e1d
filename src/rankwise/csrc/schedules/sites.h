/* The ranks of a network sorted into its groups. */
#ifndef RANKWISE_SITES_H
#define RANKWISE_SITES_H

#include "algorithm.h"

/* Groups are counted in the order in which their ranks stand: a group's ranks are neighbours in
 * that order, and so are the groups within a group. Level 0 are the sites, level `levels` the ranks
 * themselves. Without a network there is one site, and the arrays are NULL. */
typedef struct Sites {
    const Network *network;
    int ranks, levels;
    bool kept;     /* with the network: not freed by close_sites */
    int *order;    /* shape (ranks): the ranks, group by group; see rank_at */
    int *position; /* shape (ranks): where a rank stands in `order`; see position_of */
    int *group;    /* shape (levels + 1, ranks): the group of a position */
    int *first;    /* shape (levels + 1, ranks + 1): where a group begins */
    int *groups;   /* shape (levels + 1) */
    int flat[2];   /* what `groups` is without a network */
} Sites;

/* Of p->network: at once if it has none or is sorted already, else in time and memory O(ranks *
 * levels). False, and `s` refused: not possible. */
bool open_sites(Sites *sites, Schedule *s, const Problem *p);
void close_sites(Sites *sites);

/* Sorts a network for all schedules to come, as far as there is memory; forgets that. */
void sort_network(Network *network);
void forget_sorted(Network *network);

int rank_at(const Sites *sites, int position);
int position_of(const Sites *sites, int rank);

/* The group of a rank at a level; a group's first position in `order`, and its ranks. */
int group_at(const Sites *sites, int level, int rank);
int group_first(const Sites *sites, int level, int group);
int group_size(const Sites *sites, int level, int group);

int site_at(const Sites *sites, int rank);               /* the number of a rank's site */
int site_size(const Sites *sites, int site);             /* its ranks */
int site_rank(const Sites *sites, int site, int number); /* its ranks by number, in order */
int site_nodes(const Sites *sites, int site);
bool are_neighbours(const Sites *sites, int site); /* its ranks follow one another */

/* A site's ranks in the order in which they serve as ends of lanes: one of each node first, then
 * a second one. Any lane from 0 on: they come round again. */
int lane_rank(const Sites *sites, int site, int lane);
int lane_of(const Sites *sites, int rank); /* the first lane of which it is the end */

/* Lanes after which each site's turn is over at once, with as many ends a site as `asked` lanes
 * need, or one a node where it is 0: what a schedule's chunks go round. */
int lanes_of(const Sites *sites, int asked);
int lane_end(const Sites *sites, int site, int asked, int lane); /* the rank at a lane's end */

/* What stands for `after` and all steps from number `first` on. */
int all_since(Schedule *s, int first, int after);

#endif
