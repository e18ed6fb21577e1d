/* Blocks of several ranks as one message: site by site, in the order of the sites' ranks. */
#ifndef RANKWISE_BUNDLES_H
#define RANKWISE_BUNDLES_H

#include "sites.h"

typedef struct {
    const Sites *sites;
    int64_t *block;  /* shape (ranks + 1): where the block of a rank begins, in the ranks' order */
    int64_t *packed; /* shape (ranks + 1): where that of a position begins */
} Bundles;

/* Of the blocks of p->counts or p->count. False, and `s` refused: no memory. */
bool open_bundles(Bundles *bundles, Schedule *s, const Problem *p, const Sites *sites);
void close_bundles(Bundles *bundles);

int64_t packed_start(const Bundles *bundles, int rank); /* in a bundle of all ranks */
int64_t site_start(const Bundles *bundles, int site);
int64_t site_length(const Bundles *bundles, int site);

/* Where a site's bundle is, or is to be: among `blocks` itself, which are in the ranks' order, if
 * its ranks are neighbours there; else scratch memory. */
Place site_bundle(Schedule *s, const Bundles *bundles, int site, Place blocks);

/* Copies from the blocks into a site's bundle or back, except those of rank `but` (-1: all), where
 * they are not one. Both return what to wait for. */
int pack_site(Schedule *s, const Bundles *bundles, int site, Place blocks, Place bundle, int but,
              int after);
int unpack_site(Schedule *s, const Bundles *bundles, int site, Place bundle, Place blocks, int but,
                int after);

/* At a coordinator: each rank of the site gets its block of the site's bundle. */
void hand_out_blocks(Schedule *s, const Problem *p, const Bundles *bundles, int site, Place bundle,
                     int tag, int after);

#endif
