/* Trees that enter each group of a network once. */
#ifndef RANKWISE_SPANS_H
#define RANKWISE_SPANS_H

#include "sites.h"
#include "tree.h"

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

#endif
