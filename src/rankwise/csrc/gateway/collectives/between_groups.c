/* Collective operations of intercommunicators. What is broadcast or reduced goes by schedules among
 * some of all ranks: one group, or one process and the other group; what each rank has for each of
 * the other group goes by itself. An operation may have several stages, one after the other. */
#include "../interpose/held.h"
#include "../schedules/own_network.h"
#include "batch.h"
#include "calls.h"
#include "collectives.h"
#include "exchange.h"
#include <stdlib.h>

enum { STAGES = 3 };

typedef struct {
    Joined *joined;
    Collective call; /* its type and operation are held */
    CallTags *tags;
    int tag[STAGES], stage; /* of each stage the first of its part of these; -1: none has begun */
    MPI_Count total;        /* elements of what is reduced */
    char *memory, *sum;     /* of the first rank of a group: what its own group makes; */
    char *other, *theirs;   /* and the other one's (reduce_scatter) */
} Between;

/* Ranks of each group as ranks of all. */
static int place_here(const Joined *j, int rank)
{
    return (j->first ? 0 : j->remote_size) + rank;
}

static int place_there(const Joined *j, int rank)
{
    return (j->first ? j->size : 0) + rank;
}

/* A call among a group and, in front of it, one other process (-1: none). */
static void begin_among(const Between *w, Batch *b, int head, bool their_group, Collective call)
{
    const Joined *j = w->joined, *own = joined_of(j->own);
    const int extra = head >= 0, ranks = extra + (their_group ? j->remote_size : j->size);
    int *place = malloc((size_t)ranks * 2 * sizeof *place), rank = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!place) {
        batch_fails(b, MPI_ERR_NO_MEM);
        return;
    }
    place[0] = head;
    for (int i = extra; i < ranks; i++)
        place[i] = their_group ? place_there(j, i - extra) : place_here(j, i - extra);
    for (int i = 0; i < ranks; i++) {
        place[ranks + i] = own->world_rank[place[i]];
        rank = place[i] == own->rank ? i : rank;
    }
    Network *network = network_of((Members){ranks, place + ranks});
    const Party party = {
        w->joined, rank, ranks, place, network, w->tags, w->tag[w->stage], w->tag[1] - w->tag[0]};
    call.root = 0;
    call.request = &request;
    const int code = network ? collective_among(&party, &call) : MPI_ERR_NO_MEM;
    batch_add(b, request, code);
    if (network)
        free_network(network);
    free(place);
}

static Collective broadcast_of(const Between *w, void *buffer)
{
    const Collective *c = &w->call;
    return (Collective){.operation = BCAST,
                        .send = buffer,
                        .recv = buffer,
                        .send_count = c->recv_count,
                        .recv_count = c->recv_count,
                        .send_type = c->recv_type,
                        .recv_type = c->recv_type,
                        .op = MPI_OP_NULL};
}

static void broadcast(const Between *w, Batch *b)
{
    const Joined *j = w->joined;
    const Collective call = broadcast_of(w, w->call.recv);
    if (w->call.root == MPI_ROOT)
        begin_among(w, b, place_here(j, j->rank), true, call);
    else if (w->call.root >= 0)
        begin_among(w, b, place_there(j, w->call.root), false, call);
}

/* For this many elements, without a gap before the first. */
static char *room_for(const Between *w, char **start)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    below.Type_get_extent(w->call.recv_type, &lower, &extent);
    below.Type_get_true_extent(w->call.recv_type, &true_lower, &true_extent);
    char *memory = malloc((size_t)(w->total * extent + true_extent) + 1);
    *start = memory ? memory - true_lower : NULL;
    return memory;
}

/* The first rank of this group has what it makes of all its ranks' elements. */
static void reduce_here(Between *w, Batch *b)
{
    Collective call = w->call;
    if (w->joined->rank == 0 && !(w->memory = room_for(w, &w->sum))) {
        batch_fails(b, MPI_ERR_NO_MEM);
        return;
    }
    call.operation = REDUCE;
    call.varies = false;
    call.recv = w->sum;
    call.send_count = call.recv_count = w->total;
    call.recv_counts = (Numbers){0};
    begin_among(w, b, -1, false, call);
}

static void begin_reduction(Between *w, Batch *b)
{
    const Collective *c = &w->call;
    w->total = c->recv_count;
    for (int r = 0; c->operation == REDUCE_SCATTER && r < w->joined->size; r++) {
        const MPI_Count piece = c->recv_counts.array ? number(c->recv_counts, r) : c->recv_count;
        w->total = r ? w->total + piece : piece;
    }
    if (c->operation != REDUCE || c->root >= 0)
        reduce_here(w, b);
    else if (c->root == MPI_ROOT)
        batch_receive(b, c->recv, c->recv_count, c->recv_type, place_there(w->joined, 0),
                      w->tag[1]);
}

/* Each rank of this group gets its part of what the other group has made. */
static void hand_out(const Between *w, Batch *b)
{
    const Joined *j = w->joined;
    const Collective *c = &w->call;
    const Side pieces = {.buffer = w->theirs,
                         .count = c->recv_count,
                         .counts = c->recv_counts,
                         .type = c->recv_type};
    Block piece = {w->theirs, 0, c->recv_type};
    MPI_Aint lower, extent;
    below.Type_get_extent(c->recv_type, &lower, &extent);
    batch_receive(b, c->recv,
                  c->recv_counts.array ? number(c->recv_counts, j->rank) : c->recv_count,
                  c->recv_type, place_here(j, 0), w->tag[2]);
    for (int r = 0; r < j->size && j->rank == 0; r++) {
        piece.count = pieces.counts.array ? number(pieces.counts, r) : pieces.count;
        batch_send(b, piece.start, piece.count, piece.type, place_here(j, r), w->tag[2]);
        piece.start += piece.count * extent;
    }
}

static void exchange_sums(Between *w, Batch *b)
{
    const int there = place_there(w->joined, 0);
    w->other = room_for(w, &w->theirs);
    if (!w->other)
        batch_fails(b, MPI_ERR_NO_MEM);
    batch_receive(b, w->theirs, w->total, w->call.recv_type, there, w->tag[1]);
    batch_send(b, w->sum, w->total, w->call.recv_type, there, w->tag[1]);
}

/* Whether there is another stage of this process, which has begun then. */
static bool go_on(Between *w, Batch *b)
{
    const Joined *j = w->joined;
    const bool leads = j->rank == 0;
    w->stage++;
    if (w->call.operation == REDUCE && w->call.root >= 0 && leads && w->stage == 1) {
        batch_send(b, w->sum, w->total, w->call.recv_type, place_there(j, w->call.root), w->tag[1]);
        return true;
    }
    if (w->call.operation == ALLREDUCE && w->stage == 1) {
        if (leads)
            begin_among(w, b, place_here(j, 0), true, broadcast_of(w, w->sum));
        begin_among(w, b, place_there(j, 0), false, broadcast_of(w, w->call.recv));
        return true;
    }
    if (w->call.operation != REDUCE_SCATTER || w->stage > 2)
        return false;
    if (leads && w->stage == 1) {
        exchange_sums(w, b);
        return true;
    }
    w->stage = 2;
    hand_out(w, b);
    return true;
}

static void end_between(Between *w)
{
    free(w->memory);
    free(w->other);
    release_type(w->call.recv_type);
    release_op(w->call.op);
    free(w);
}

static bool begin_between(Between *w, Batch *b)
{
    w->stage = 0;
    if (w->call.operation == BCAST)
        broadcast(w, b);
    else
        begin_reduction(w, b);
    return true;
}

static bool next_stage(Batch *b, void *work)
{
    Between *w = work;
    if (batch_code(b) == MPI_SUCCESS && (w->stage < 0 ? begin_between(w, b) : go_on(w, b)))
        return true;
    end_between(w);
    return false;
}

static int in_stages(Joined *j, const Collective *call, CallTags *tags)
{
    Batch *b = new_call(j, j->size + 2, tags);
    Between *w = b ? malloc(sizeof *w) : NULL;
    if (!b)
        return MPI_ERR_NO_MEM;
    if (!w) {
        batch_fails(b, MPI_ERR_NO_MEM);
        return end_batch(b, j, &operations, call->request);
    }
    *w = (Between){.joined = j, .call = *call, .tags = tags_of(b), .stage = -1};
    batch_fails(b, hold_type(call->recv_type));
    batch_fails(b, hold_op(call->op));
    for (int i = 0; i < STAGES; i++)
        w->tag[i] = first_tag(w->tags) + i * (tag_count(w->tags) / STAGES);
    begin_stages(b, next_stage, w);
    return end_batch(b, j, &operations, call->request);
}

/* One process with all of the other group: what it has comes from, or goes to each of them. */
static int with_one(Joined *j, const Collective *call, const Side *out, const Side *in,
                    CallTags *tags)
{
    const bool gathers = call->operation == GATHER;
    if (call->root == MPI_ROOT)
        return exchange(j, ALL_RANKS, gathers ? NULL : out, gathers ? in : NULL, call->request,
                        tags);
    const bool takes_part = call->root >= 0;
    return exchange_with(j, takes_part ? place_there(j, call->root) : MPI_PROC_NULL,
                         gathers && takes_part ? out : NULL, !gathers && takes_part ? in : NULL,
                         call->request, tags);
}

static bool has_root(const Collective *call)
{
    return call->operation == BCAST || call->operation == REDUCE || call->operation == GATHER ||
           call->operation == SCATTER;
}

static int check(const Joined *j, const Collective *call)
{
    const int root = call->root;
    if (has_root(call) && root != MPI_ROOT && root != MPI_PROC_NULL &&
        (root < 0 || root >= j->remote_size))
        return MPI_ERR_ROOT;
    if (call->send == MPI_IN_PLACE || call->recv == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    return call->operation == SCAN || call->operation == EXSCAN ? MPI_ERR_COMM : MPI_SUCCESS;
}

int between_groups(Joined *j, const Collective *call, CallTags *tags)
{
    const Side out = {.buffer = (char *)call->send,
                      .same = call->operation == ALLGATHER,
                      .count = call->send_count,
                      .counts = call->send_counts,
                      .starts = call->send_starts,
                      .type = call->send_type};
    const Side in = {.buffer = call->recv,
                     .count = call->recv_count,
                     .counts = call->recv_counts,
                     .starts = call->recv_starts,
                     .type = call->recv_type};
    const int code = check(j, call);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    switch (call->operation) {
    case BARRIER:
        return fail(j, collective(joined_of(j->own), call, tags));
    case GATHER:
    case SCATTER:
        return with_one(j, call, &out, &in, tags);
    case ALLGATHER:
    case ALLTOALL:
        return exchange(j, ALL_RANKS, &out, &in, call->request, tags);
    default:
        return fail(j, in_stages(j, call, tags));
    }
}
