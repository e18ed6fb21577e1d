/* The ranks of a network sorted into its groups, and trees that enter each group once. */
#ifndef RANKWISE_SITES_H
#define RANKWISE_SITES_H

#include "tree.h"

/* Groups are counted in the order in which their ranks stand: a group's ranks are neighbours in
 * `order`, and so are the groups within a group. Level 0 are the sites, level `levels` the ranks
 * themselves. Without a network there is one site. */
typedef struct {
    const Network *network;
    int ranks, levels;
    int *order;    /* shape (ranks): the ranks, group by group */
    int *position; /* shape (ranks): where a rank stands in `order` */
    int *group;    /* shape (levels + 1, ranks): the group of a position */
    int *first;    /* shape (levels + 1, ranks + 1): where a group begins */
    int *groups;   /* shape (levels + 1) */
} Sites;

/* Of p->network, in time and memory O(ranks * levels). False, and `s` refused: not possible. */
bool open_sites(Sites *sites, Schedule *s, const Problem *p);
void close_sites(Sites *sites);

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

/* How a site hands out what one of its ranks, `entry`, has: to each group once, and within it
 * likewise. A rank that must not be below another of its group is `preferred`. */
typedef struct {
    int entry, preferred;
    int lane; /* chooses among the ranks that can lead a group */
    int star; /* groups of at most so many members are served by one rank, larger ones binomially */
} Entrance;

enum { FEW_MEMBERS = 8, ANY_NUMBER = 1 << 30 };

/* Adds the place of `rank`, a rank of the entry's site, to the tree. */
void add_site_tree(Tree *tree, const Sites *sites, int rank, const Entrance *entrance);

/* A tree over all ranks. In the root's site, rank `sender` has what goes to other sites from the
 * root: so that a root's interface carries the data once. `parent`, shape (sites), names the site
 * by which each is served; NULL: all by the root's. */
typedef struct {
    int root, sender;
    const int *parent;
    int asked_lanes, lane, star;
} Span;

Tree span_tree(const Sites *sites, int rank, const Span *span);

/* The rank by which a site is entered. */
int span_entry(const Sites *sites, const Span *span, int site);

/* The tree from p->root that crosses into each site once, without lanes. */
Tree star_of_sites(const Sites *sites, const Problem *p, int root, int star);

/* What stands for `after` and all steps from number `first` on. */
int all_since(Schedule *s, int first, int after);

#endif
