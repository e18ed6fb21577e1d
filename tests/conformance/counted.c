/* Collectives that append what this host's network interfaces have sent during a cell, for each
 * operation, and in how many packets, to the file `RANK` of --folder. */
#define _GNU_SOURCE
#include "kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double bytes, packets;
    int operations;
} Sent;

static Sent sent_until_now(void)
{
    Sent sent = {0};
    char line[512];
    FILE *file = fopen("/proc/self/net/dev", "r");
    while (file && fgets(line, sizeof line, file)) {
        double values[16] = {0};
        char *rest = strchr(line, ':');
        if (!rest || strstr(line, " lo:"))
            continue;
        rest++;
        for (int i = 0; i < 16; i++)
            values[i] = strtod(rest, &rest);
        sent.bytes += values[8];
        sent.packets += values[9];
    }
    if (file)
        fclose(file);
    return sent;
}

static void begin(Cell *c)
{
    Sent *before = malloc(sizeof *before);
    if (!before) {
        fail_cell(c, "no memory");
        return;
    }
    *before = sent_until_now();
    c->state = before;
}

static void end(Cell *c)
{
    char name[512];
    const Sent *before = c->state, now = sent_until_now();
    snprintf(name, sizeof name, "%s/%d", c->folder, c->rank);
    FILE *file = fopen(name, "a");
    if (file) {
        fprintf(file, "%.6g %.6g\n", (now.bytes - before->bytes) / before->operations,
                (now.packets - before->packets) / before->operations);
        fclose(file);
    }
    free(c->state);
}

static void count(Cell *c)
{
    ((Sent *)c->state)->operations++;
}

static void broadcast(Cell *c)
{
    count(c);
    MPI_Bcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm);
}

#if MPI_VERSION >= 3
static void broadcast_nonblocking(Cell *c)
{
    MPI_Request request;
    count(c);
    MPI_Ibcast(c->rank == c->root ? c->send : c->receive, c->count, c->type, c->root, c->comm,
               &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void reduce_to_all_nonblocking(Cell *c)
{
    MPI_Request request;
    count(c);
    MPI_Iallreduce(c->send, c->receive, c->count, c->type, c->op, c->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void gather_to_all_nonblocking(Cell *c)
{
    MPI_Request request;
    count(c);
    MPI_Iallgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#endif

static void reduce_to_all(Cell *c)
{
    count(c);
    MPI_Allreduce(c->send, c->receive, c->count, c->type, c->op, c->comm);
}

static void gather_to_all(Cell *c)
{
    count(c);
    MPI_Allgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
}

static void gather_unequal_to_all(Cell *c)
{
    count(c);
    MPI_Allgatherv(c->send, c->counts[c->rank], c->type, c->receive, c->counts, c->displacements,
                   c->type, c->comm);
}

static void begin_shares(Cell *c)
{
    exchange_shares(c);
    begin(c);
}

static void exchange_unequal(Cell *c)
{
    count(c);
    MPI_Alltoallv(c->send, c->counts, c->displacements, c->type, c->receive, c->counts,
                  c->displacements, c->type, c->comm);
}

static void reduce_to_blocks(Cell *c)
{
    count(c);
    MPI_Reduce_scatter_block(c->send, c->receive, c->count, c->type, c->op, c->comm);
}

static void reduce_before(Cell *c)
{
    count(c);
    MPI_Exscan(c->send, c->receive, c->count, c->type, c->op, c->comm);
}

KERNEL(counted_bcast) = {.category = COLLECTIVE,
                         .description = "bcast",
                         .data = &broadcast_data,
                         .run = broadcast,
                         .setup = begin,
                         .teardown = end};
KERNEL(counted_allreduce) = {.category = COLLECTIVE,
                             .description = "allreduce",
                             .data = &allreduce_data,
                             .reduces = true,
                             .run = reduce_to_all,
                             .setup = begin,
                             .teardown = end};
KERNEL(counted_allgather) = {.category = COLLECTIVE,
                             .description = "allgather",
                             .data = &allgather_data,
                             .run = gather_to_all,
                             .setup = begin,
                             .teardown = end};
KERNEL(counted_allgatherv) = {.category = COLLECTIVE,
                              .description = "allgatherv",
                              .data = &allgather_data,
                              .run = gather_unequal_to_all,
                              .setup = begin,
                              .teardown = end,
                              .unequal = true};
KERNEL(counted_alltoallv) = {.category = COLLECTIVE,
                             .description = "alltoallv",
                             .data = &alltoall_data,
                             .run = exchange_unequal,
                             .setup = begin_shares,
                             .teardown = end,
                             .unequal = true};
KERNEL(counted_reduce_scatter_block) = {.category = COLLECTIVE,
                                        .description = "reduce_scatter_block",
                                        .data = &reduce_scatter_block_data,
                                        .reduces = true,
                                        .run = reduce_to_blocks,
                                        .setup = begin,
                                        .teardown = end};
KERNEL(counted_exscan) = {.category = COLLECTIVE,
                          .description = "exscan",
                          .data = &exscan_data,
                          .reduces = true,
                          .run = reduce_before,
                          .setup = begin,
                          .teardown = end};
#if MPI_VERSION >= 3
KERNEL(counted_ibcast) = {.category = COLLECTIVE,
                          .description = "ibcast",
                          .data = &broadcast_data,
                          .run = broadcast_nonblocking,
                          .setup = begin,
                          .teardown = end};
KERNEL(counted_iallreduce) = {.category = COLLECTIVE,
                              .description = "iallreduce",
                              .data = &allreduce_data,
                              .reduces = true,
                              .run = reduce_to_all_nonblocking,
                              .setup = begin,
                              .teardown = end};
KERNEL(counted_iallgather) = {.category = COLLECTIVE,
                              .description = "iallgather",
                              .data = &allgather_data,
                              .run = gather_to_all_nonblocking,
                              .setup = begin,
                              .teardown = end};
#endif
