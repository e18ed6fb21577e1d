#include "pipeline.h"
#include <stdlib.h>

/* Messages between all pairs: peers of other sites first, so that the long links are never idle;
 * of each site the ranks in turn, so that each gets as much at a time as it sends. */
static int peer_at(const Sites *sites, int rank, int site, int number)
{
    const int own = position_of(sites, rank) - group_first(sites, 0, site_at(sites, rank));
    return site_rank(sites, site, (own + number) % site_size(sites, site));
}

typedef struct {
    int64_t input, output, sent,
        received; /* where the blocks for and of a peer are, and how long */
} Exchange;

static void find_blocks(Exchange *peers, const Problem *p)
{
    Exchange e = {0, 0, p->count, p->count};
    for (int r = 0; r < p->ranks; r++) {
        e.sent = p->counts ? p->send_counts[r] : p->count;
        e.received = p->counts ? p->counts[r] : p->count;
        peers[r] = e;
        e.input += e.sent;
        e.output += e.received;
    }
}

static void exchange(Schedule *s, const Problem *p, int peer, Exchange e)
{
    const int in = chunks_of(p, e.received), out = chunks_of(p, e.sent);
    for (int i = 0; i < in; i++)
        add_receive(s, peer, i, place(OUTPUT_MEMORY, e.output + part_start(e.received, in, i)),
                    part_length(e.received, in, i), NO_STEP);
    for (int i = 0; i < out; i++)
        add_send(s, peer, i, place(INPUT_MEMORY, e.input + part_start(e.sent, out, i)),
                 part_length(e.sent, out, i), NO_STEP);
}

static void exchange_all(Schedule *s, const Problem *p, const Sites *sites, const Exchange *peers)
{
    const int home = site_at(sites, p->rank);
    for (int i = 1; i <= sites->groups[0]; i++) {
        const int site = (home + i) % sites->groups[0];
        for (int number = 0; number < site_size(sites, site); number++) {
            const int peer = peer_at(sites, p->rank, site, number);
            if (peer != p->rank)
                exchange(s, p, peer, peers[peer]);
        }
    }
    const Exchange own = peers[p->rank];
    add_copy(s, place(INPUT_MEMORY, own.input), place(OUTPUT_MEMORY, own.output), own.sent,
             NO_STEP);
}

static void generate(Schedule *s, const Problem *p)
{
    Sites sites;
    if (!open_sites(&sites, s, p))
        return;
    Exchange *peers = malloc((size_t)p->ranks * sizeof *peers);
    if (peers) {
        find_blocks(peers, p);
        exchange_all(s, p, &sites, peers);
    } else {
        refuse(s, "no memory for the blocks of all ranks");
    }
    free(peers);
    close_sites(&sites);
}

ALGORITHM(lanes, ALLTOALL) = {
    .description = "all pairs at once, in chunks, those of other sites first",
    .generate = generate,
    .segmented = true,
    .for_networks = true,
};
