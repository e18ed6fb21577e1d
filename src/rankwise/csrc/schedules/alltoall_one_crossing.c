#include "sites.h"
#include <stdlib.h>

/* A way between two sites, from the one end of a lane to the other: it carries all blocks of the
 * first site's ranks for those ranks of the second whose number, taken modulo `lanes`, is its own.
 */
typedef struct {
    int from, to, number, lanes;
} Way;

typedef struct {
    Schedule *s;
    const Problem *p;
    const Sites *sites;
    int64_t *input, *output; /* shape (ranks): where this rank's blocks for and of each begin */
    int64_t *next;           /* shape (ranks): where the next block of a sender is */
} Exchange;

/* Tags of kind k of way w are KINDS * w + k: a rank is in no two of the same kind otherwise. */
enum { INWARD, ACROSS, OUTWARD, DIRECT, KINDS };

static int64_t sent(const Exchange *x, int from, int to)
{
    return x->p->counts ? x->p->counts[(size_t)from * (size_t)x->p->ranks + (size_t)to]
                        : x->p->count;
}

static Way way_between(const Exchange *x, int from, int to, int number)
{
    Way w = {from, to, number, x->p->lanes > 0 ? x->p->lanes : 1};
    if (w.lanes > site_size(x->sites, from))
        w.lanes = site_size(x->sites, from);
    if (w.lanes > site_size(x->sites, to))
        w.lanes = site_size(x->sites, to);
    return w;
}

/* What one rank sends on a way, and what one rank gets from it. */
static int64_t share_of_sender(const Exchange *x, const Way *w, int rank)
{
    int64_t sum = 0;
    for (int i = w->number; i < site_size(x->sites, w->to); i += w->lanes)
        sum += sent(x, rank, site_rank(x->sites, w->to, i));
    return sum;
}

static int64_t share_of_receiver(const Exchange *x, const Way *w, int rank)
{
    int64_t sum = 0;
    for (int i = 0; i < site_size(x->sites, w->from); i++)
        sum += sent(x, site_rank(x->sites, w->from, i), rank);
    return sum;
}

/* The blocks of a rank for a way, one after another. */
static Place pack_share(Exchange *x, const Way *w, int *ready)
{
    *ready = NO_STEP;
    if (w->lanes == 1 && are_neighbours(x->sites, w->to))
        return place(INPUT_MEMORY, x->input[site_rank(x->sites, w->to, 0)]);
    const Place share = add_scratch(x->s, share_of_sender(x, w, x->p->rank));
    const int first = x->s->count;
    int64_t at = 0;
    for (int i = w->number; i < site_size(x->sites, w->to); i += w->lanes) {
        const int rank = site_rank(x->sites, w->to, i);
        add_copy(x->s, place(INPUT_MEMORY, x->input[rank]), beyond(share, at),
                 sent(x, x->p->rank, rank), NO_STEP);
        at += sent(x, x->p->rank, rank);
    }
    *ready = all_since(x->s, first, NO_STEP);
    return share;
}

/* Blocks that stand sender by sender are put receiver by receiver. */
static int turn_round(Exchange *x, const Way *w, Place shares, Place bundle, int after)
{
    const int first = x->s->count, senders = site_size(x->sites, w->from);
    int64_t from = 0, to = 0;
    for (int i = 0; i < senders; i++) {
        x->next[i] = from;
        from += share_of_sender(x, w, site_rank(x->sites, w->from, i));
    }
    for (int j = w->number; j < site_size(x->sites, w->to); j += w->lanes)
        for (int i = 0; i < senders; i++) {
            const int64_t length =
                sent(x, site_rank(x->sites, w->from, i), site_rank(x->sites, w->to, j));
            add_copy(x->s, beyond(shares, x->next[i]), beyond(bundle, to), length, after);
            x->next[i] += length;
            to += length;
        }
    return all_since(x->s, first, after);
}

static int64_t length_of(const Exchange *x, const Way *w)
{
    int64_t sum = 0;
    for (int i = 0; i < site_size(x->sites, w->from); i++)
        sum += share_of_sender(x, w, site_rank(x->sites, w->from, i));
    return sum;
}

static void send_on(Exchange *x, const Way *w)
{
    const int end = lane_rank(x->sites, w->from, w->number), me = x->p->rank;
    const int tag = KINDS * (w->to * site_size(x->sites, w->from) + w->number) + INWARD;
    int packed;
    const Place share = pack_share(x, w, &packed);
    if (me != end) {
        add_send(x->s, end, tag, share, share_of_sender(x, w, me), packed);
        return;
    }
    const int64_t length = length_of(x, w);
    const Place shares = add_scratch(x->s, length), bundle = add_scratch(x->s, length);
    const int first = x->s->count;
    int64_t at = 0;
    for (int i = 0; i < site_size(x->sites, w->from); i++) {
        const int rank = site_rank(x->sites, w->from, i);
        const int64_t part = share_of_sender(x, w, rank);
        if (rank == me)
            add_copy(x->s, share, beyond(shares, at), part, packed);
        else
            add_receive(x->s, rank, tag, beyond(shares, at), part, NO_STEP);
        at += part;
    }
    const int arrived = all_since(x->s, first, packed);
    const int turned = turn_round(x, w, shares, bundle, arrived);
    add_send(x->s, lane_rank(x->sites, w->to, w->number), KINDS * w->number + ACROSS, bundle,
             length, turned);
}

/* What came from a site stands in the order of its ranks. */
static void put_out(Exchange *x, const Way *w, Place share, int ready)
{
    int64_t at = 0;
    for (int i = 0; i < site_size(x->sites, w->from); i++) {
        const int rank = site_rank(x->sites, w->from, i);
        add_copy(x->s, beyond(share, at), place(OUTPUT_MEMORY, x->output[rank]),
                 sent(x, rank, x->p->rank), ready);
        at += sent(x, rank, x->p->rank);
    }
}

static void receive_from(Exchange *x, const Way *w)
{
    const int end = lane_rank(x->sites, w->to, w->number), me = x->p->rank;
    const int tag = KINDS * w->from + OUTWARD;
    int ready = NO_STEP;
    Place bundle = {SCRATCH_MEMORY, 0};
    if (me == end) {
        const int64_t length = length_of(x, w);
        bundle = add_scratch(x->s, length);
        ready = add_receive(x->s, lane_rank(x->sites, w->from, w->number),
                            KINDS * w->number + ACROSS, bundle, length, NO_STEP);
    }
    for (int i = w->number; i < site_size(x->sites, w->to); i += w->lanes) {
        const int rank = site_rank(x->sites, w->to, i);
        if (me != end && me != rank)
            continue;
        const int64_t share = share_of_receiver(x, w, rank);
        if (me == end && rank != me) {
            add_send(x->s, rank, tag, bundle, share, ready);
        } else if (me == end) {
            put_out(x, w, bundle, ready);
        } else {
            const Place arrived =
                are_neighbours(x->sites, w->from)
                    ? place(OUTPUT_MEMORY, x->output[site_rank(x->sites, w->from, 0)])
                    : add_scratch(x->s, share);
            const int received = add_receive(x->s, end, tag, arrived, share, NO_STEP);
            if (arrived.memory == SCRATCH_MEMORY)
                put_out(x, w, arrived, received);
        }
        bundle = beyond(bundle, share);
    }
}

static void exchange_within(Exchange *x, int site)
{
    const int me = x->p->rank;
    for (int i = 0; i < site_size(x->sites, site); i++) {
        const int peer = site_rank(x->sites, site, i);
        const Place from = place(INPUT_MEMORY, x->input[peer]);
        const Place to = place(OUTPUT_MEMORY, x->output[peer]);
        if (peer == me) {
            add_copy(x->s, from, to, sent(x, me, me), NO_STEP);
        } else {
            add_receive(x->s, peer, DIRECT, to, sent(x, peer, me), NO_STEP);
            add_send(x->s, peer, DIRECT, from, sent(x, me, peer), NO_STEP);
        }
    }
}

static void exchange_all(Exchange *x)
{
    const int me = x->p->rank, home = site_at(x->sites, me), sites = x->sites->groups[0];
    x->input[0] = x->output[0] = 0;
    for (int r = 0; r + 1 < x->p->ranks; r++) {
        x->input[r + 1] = x->input[r] + sent(x, me, r);
        x->output[r + 1] = x->output[r] + sent(x, r, me);
    }
    for (int i = 1; i < sites; i++) {
        Way w = way_between(x, home, (home + i) % sites, 0);
        for (; w.number < w.lanes; w.number++)
            send_on(x, &w);
    }
    for (int i = 1; i < sites; i++) {
        Way w = way_between(x, (home + i) % sites, home, 0);
        for (; w.number < w.lanes; w.number++)
            receive_from(x, &w);
    }
    exchange_within(x, home);
}

static void generate(Schedule *s, const Problem *p)
{
    Sites sites;
    if (!open_sites(&sites, s, p))
        return;
    Exchange x = {s,
                  p,
                  &sites,
                  malloc((size_t)p->ranks * sizeof(int64_t)),
                  malloc((size_t)p->ranks * sizeof(int64_t)),
                  malloc((size_t)p->ranks * sizeof(int64_t))};
    if (x.input && x.output && x.next)
        exchange_all(&x);
    else
        refuse(s, "no memory for the blocks of all ranks");
    free(x.input);
    free(x.output);
    free(x.next);
    close_sites(&sites);
}

ALGORITHM(one_crossing, ALLTOALL) = {
    .description = "all blocks from one site to another in one message, or as many as lanes",
    .generate = generate,
    .lanes = true,
    .for_networks = true,
    .needs_all_counts = true,
};
