#include "bundles.h"
#include <stdlib.h>

bool open_bundles(Bundles *b, Schedule *s, const Problem *p, const Sites *sites)
{
    const size_t bytes = ((size_t)p->ranks + 1) * sizeof(int64_t);
    *b = (Bundles){sites, malloc(bytes), malloc(bytes)};
    if (!b->block || !b->packed) {
        refuse(s, "no memory for the lengths of bundles");
        close_bundles(b);
        return false;
    }
    b->block[0] = b->packed[0] = 0;
    for (int i = 0; i < p->ranks; i++) {
        b->block[i + 1] = b->block[i] + block_length(p, i);
        b->packed[i + 1] = b->packed[i] + block_length(p, rank_at(sites, i));
    }
    return true;
}

void close_bundles(Bundles *b)
{
    free(b->block);
    free(b->packed);
    *b = (Bundles){0};
}

static int first_position(const Bundles *b, int site)
{
    return group_first(b->sites, 0, site);
}

int64_t packed_start(const Bundles *b, int rank)
{
    return b->packed[position_of(b->sites, rank)];
}

int64_t site_start(const Bundles *b, int site)
{
    return b->packed[first_position(b, site)];
}

int64_t site_length(const Bundles *b, int site)
{
    return b->packed[first_position(b, site) + site_size(b->sites, site)] - site_start(b, site);
}

Place site_bundle(Schedule *s, const Bundles *b, int site, Place blocks)
{
    if (are_neighbours(b->sites, site))
        return beyond(blocks, b->block[site_rank(b->sites, site, 0)]);
    return add_scratch(s, site_length(b, site));
}

int pack_site(Schedule *s, const Bundles *b, int site, Place blocks, Place bundle, int but,
              int after)
{
    const int first = s->count;
    for (int i = 0; i < site_size(b->sites, site); i++) {
        const int rank = site_rank(b->sites, site, i);
        if (rank != but)
            add_copy(s, beyond(blocks, b->block[rank]),
                     beyond(bundle, packed_start(b, rank) - site_start(b, site)),
                     b->block[rank + 1] - b->block[rank], after);
    }
    return all_since(s, first, after);
}

int unpack_site(Schedule *s, const Bundles *b, int site, Place bundle, Place blocks, int but,
                int after)
{
    const int first = s->count;
    for (int i = 0; i < site_size(b->sites, site); i++) {
        const int rank = site_rank(b->sites, site, i);
        if (rank != but)
            add_copy(s, beyond(bundle, packed_start(b, rank) - site_start(b, site)),
                     beyond(blocks, b->block[rank]), b->block[rank + 1] - b->block[rank], after);
    }
    return all_since(s, first, after);
}

void hand_out_blocks(Schedule *s, const Problem *p, const Bundles *b, int site, Place bundle,
                     int tag, int after)
{
    for (int i = 0; i < site_size(b->sites, site); i++) {
        const int rank = site_rank(b->sites, site, i);
        const Place at = beyond(bundle, packed_start(b, rank) - site_start(b, site));
        if (rank == p->rank)
            add_copy(s, at, place(OUTPUT_MEMORY, 0), block_length(p, rank), after);
        else
            add_send(s, rank, tag, at, block_length(p, rank), after);
    }
}
