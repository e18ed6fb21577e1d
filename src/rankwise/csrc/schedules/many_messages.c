#include "many_messages.h"
#include <stdlib.h>

enum { MOST_TAGS = 16384, MESSAGES_AHEAD = 96 };

static int chunks_of_block(const Problem *p, int owner)
{
    const int chunks = chunks_of(p, block_length(p, owner));
    const int most = p->ranks < MOST_TAGS ? MOST_TAGS / p->ranks : 1;
    return chunks < most ? chunks : most;
}

/* Starts and tags of all blocks follow from their lengths. */
static void each_block(Schedule *s, const Problem *p, const Sites *sites, int64_t *start, int *tag,
                       BlockStep *step)
{
    start[0] = tag[0] = 0;
    for (int r = 0; r + 1 < p->ranks; r++) {
        start[r + 1] = start[r] + block_length(p, r);
        tag[r + 1] = tag[r] + chunks_of_block(p, r);
    }
    for (int i = 0; i < p->ranks && !s->failure; i++) {
        const int owner = (p->rank + p->ranks - i) % p->ranks;
        const Span span = {.root = owner,
                           .sender = owner,
                           .lane = lane_of(sites, owner),
                           .asked_lanes = p->lanes > 0 ? p->lanes : p->ranks,
                           .star = FEW_MEMBERS};
        Pipeline f;
        if (open_pipeline(&f, s, 1, block_length(p, owner), chunks_of_block(p, owner),
                          MESSAGES_AHEAD / p->ranks + 1)) {
            f.lane[0].tree = span_tree(sites, p->rank, &span);
            step(s, p, &f, owner, start[owner], tag[owner]);
        }
        close_pipeline(&f);
    }
}

void for_each_block(Schedule *s, const Problem *p, BlockStep *step)
{
    Sites sites;
    if (!open_sites(&sites, s, p))
        return;
    int64_t *start = malloc((size_t)p->ranks * sizeof *start);
    int *tag = malloc((size_t)p->ranks * sizeof *tag);
    if (start && tag)
        each_block(s, p, &sites, start, tag, step);
    else
        refuse(s, "no memory for the blocks of all ranks");
    free(start);
    free(tag);
    close_sites(&sites);
}
