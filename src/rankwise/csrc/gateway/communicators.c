#include "communicators.h"
#include "../schedules/own_network.h"
#include "calls.h"
#include "groups.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTEXTS = 1 << 22 };

Joined *buckets[BUCKETS];
Context **contexts;
int context_count;

static Joined **bucket_of(MPI_Comm comm)
{
    const uintptr_t bits = (uintptr_t)comm;
    return &buckets[(bits ^ bits >> 5 ^ bits >> 11) % BUCKETS];
}

Context *context_of(int number)
{
    if (number < 0 || number >= MOST_CONTEXTS)
        return NULL;
    if (number >= context_count) {
        const int more = number + 64;
        Context **larger = realloc(contexts, (size_t)more * sizeof(Context *));
        if (!larger)
            return NULL;
        memset(larger + context_count, 0, (size_t)(more - context_count) * sizeof(Context *));
        contexts = larger;
        context_count = more;
    }
    if (!contexts[number])
        contexts[number] = calloc(1, sizeof(Context));
    return contexts[number];
}

static void take_out(const Joined *j)
{
    Joined **place = bucket_of(j->local);
    while (*place && *place != j)
        place = &(*place)->next;
    if (*place)
        *place = j->next;
}

/* The library's communicators go with it: what has begun may still need them. */
static void free_joined(Joined *j)
{
    Joined *own = j->own != j->local ? joined_of(j->own) : NULL;
    if (own) {
        take_out(own);
        release_joined(own);
    }
    if (world.started)
        below.Comm_free(&j->local);
    if (j->number >= 0 && j->number < context_count && contexts[j->number]) {
        free(contexts[j->number]);
        contexts[j->number] = NULL;
    }
    free(j->world_rank);
    free(j->to_local);
    free(j->from_local);
    if (j->network)
        free_network(j->network);
    free(j);
}

void release_joined(Joined *j)
{
    if (--j->uses == 0)
        free_joined(j);
}

/* Its site of each rank, numbered in the order in which they first come. */
static Network *network_of(const int *world_rank, int size)
{
    int *number = malloc((size_t)world.sites * sizeof *number), sites = 0;
    if (!number)
        return NULL;
    for (int s = 0; s < world.sites; s++)
        number[s] = -1;
    for (int r = 0; r < size; r++)
        if (number[site_of_rank(world_rank[r])] < 0)
            number[site_of_rank(world_rank[r])] = sites++;
    Network *network = new_network(size, 1, sites, 0);
    for (int r = 0; network && r < size; r++)
        group_array(network, 0)[r] = number[site_of_rank(world_rank[r])];
    free(number);
    return network;
}

static bool fill(Joined *j, const int *world_rank, int size)
{
    const size_t bytes = (size_t)size * sizeof(int);
    j->world_rank = malloc(bytes);
    j->to_local = malloc(bytes);
    j->from_local = malloc(bytes);
    j->network = network_of(world_rank, size);
    j->context = context_of(j->number);
    if (!j->world_rank || !j->to_local || !j->from_local || !j->network || !j->context)
        return false;
    memcpy(j->world_rank, world_rank, bytes);
    j->size = size;
    for (int r = 0; r < size; r++) {
        const bool here = site_of_rank(world_rank[r]) == world.site;
        j->to_local[r] = here ? j->local_size : -1;
        if (here)
            j->from_local[j->local_size++] = r;
        if (world_rank[r] == world.rank)
            j->rank = r;
    }
    j->context->joined = j;
    return true;
}

/* One of the two that make a communicator. NULL: no memory. */
static Joined *half(MPI_Comm local, int number, const int *world_rank, int size)
{
    Joined *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->local = local;
    j->number = number;
    j->uses = 1;
    if (!fill(j, world_rank, size)) {
        free_joined(j);
        return NULL;
    }
    Joined **bucket = bucket_of(local);
    j->next = *bucket;
    *bucket = j;
    return j;
}

int join_ranks(MPI_Comm local, int number, const int *world_rank, int size)
{
    MPI_Comm own;
    int rank;
    below.Comm_rank(local, &rank);
    const int code = below.Comm_split(local, 0, rank, &own); /* a dup would copy attributes */
    if (code != MPI_SUCCESS)
        return code;
    below.Comm_set_errhandler(own,
                              MPI_ERRORS_RETURN); /* what goes wrong there is told of `local` */
    Joined *messages = half(local, number, world_rank, size);
    Joined *ours = half(own, number + 1, world_rank, size);
    if (!messages || !ours)
        return MPI_ERR_NO_MEM;
    messages->own = ours->own = own;
    return MPI_SUCCESS;
}

int next_context = 2;

int join_world(void)
{
    int *all = malloc((size_t)world.ranks * sizeof *all);
    if (!all)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < world.ranks; r++)
        all[r] = r;
    const int code = join_ranks(MPI_COMM_WORLD, 0, all, world.ranks);
    free(all);
    return code;
}

int call_Comm_free(MPI_Comm *comm)
{
    Joined *j = joined_of(*comm);
    if (!j || *comm == MPI_COMM_WORLD)
        return below.Comm_free(comm);
    take_out(j);
    release_joined(j);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int call_Comm_disconnect(MPI_Comm *comm)
{
    return joined_of(*comm) ? call_Comm_free(comm) : below.Comm_disconnect(comm);
}
