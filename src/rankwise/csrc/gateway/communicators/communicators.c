#include "communicators.h"
#include "../interpose/kept_schedules.h"
#include "../schedules/own_network.h"
#include "topology.h"
#include "wire.h"
#include <stdlib.h>
#include <string.h>

Joined *buckets[BUCKETS];
void (*when_joined)(const Context *context);

static Joined **bucket_of(MPI_Comm comm)
{
    const uintptr_t bits = (uintptr_t)comm;
    return &buckets[(bits ^ bits >> 5 ^ bits >> 11) % BUCKETS];
}

static void take_out(const Joined *j)
{
    Joined **place = bucket_of(j->local);
    while (*place && *place != j)
        place = &(*place)->next;
    if (*place)
        *place = j->next;
}

/* What is special where there are processes of another job, or that represent data otherwise. */
static void note_others(Joined *j)
{
    const Representation first = peers[j->world_rank[0]].representation;
    j->tags_in_use.tag_bound = world.tag_bound;
    j->here = !j->inter && j->local_size == j->size;
    for (int r = 0; r < j->size + j->remote_size; r++) {
        const int rank = r < j->size ? j->world_rank[r] : j->remote_rank[r - j->size];
        j->external |= needs_external(first, peers[rank].representation);
        if (rank < world.ranks || (r >= j->size && !j->inter))
            continue;
        j->mixed = true;
        peers[rank].uses++;
        if (peers[rank].tag_bound < j->tags_in_use.tag_bound)
            j->tags_in_use.tag_bound = peers[rank].tag_bound;
    }
}

/* Nobody of another job is spoken to any more that is in no communicator. */
static void forget_others(const Joined *j)
{
    for (int r = 0; j->mixed && r < j->size + (j->inter ? j->remote_size : 0); r++) {
        const int rank = r < j->size ? j->world_rank[r] : j->remote_rank[r - j->size];
        if (rank >= world.ranks && --peers[rank].uses == 0 && world.started)
            take_leave(rank);
    }
}

/* In the callbacks that delete its attributes the communicator is still all it was. An error code:
 * one of them has refused. */
static int free_local(Joined *j)
{
    MPI_Comm local = j->local;
    j->uses++;
    const int code = world.started ? below.Comm_free(&local) : MPI_SUCCESS;
    j->uses--;
    if (code != MPI_SUCCESS)
        return code;
    take_out(j);
    j->local = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* The library's communicators go with it: what has begun may still need them. */
static void free_joined(Joined *j)
{
    Joined *own = j->own != j->local ? joined_of(j->own) : NULL;
    if (j->local != MPI_COMM_NULL && free_local(j) != MPI_SUCCESS)
        take_out(j);
    if (own)
        release_joined(own);
    forget_others(j);
    if (j->context)
        free_context(j->context);
    if (j->inter)
        free(j->remote_rank);
    free(j->world_rank);
    free(j->to_local);
    free(j->from_local);
    release_topology(j->topology);
    if (j->schedules)
        forget_schedules(j->schedules);
    free(j->schedules);
    if (j->network)
        free_network(j->network);
    free(j);
}

void release_joined(Joined *j)
{
    if (--j->uses == 0)
        free_joined(j);
}

/* Where it is not known who shares a host, each rank has one of its own. */
static int node_of(int world_rank)
{
    return world.node && world_rank < world.ranks ? world.node[world_rank] : world_rank;
}

static void number_nodes(const Network *network, Members ranks)
{
    int *group = group_array(network, 1), nodes = 0;
    for (int r = 0; r < ranks.size; r++) {
        int same = 0;
        while (node_of(ranks.world_rank[same]) != node_of(ranks.world_rank[r]))
            same++;
        group[r] = same == r ? nodes++ : group[same];
    }
}

Network *network_of(Members ranks)
{
    int *number = malloc((size_t)world.all_sites * sizeof *number), sites = 0;
    if (!number)
        return NULL;
    for (int s = 0; s < world.all_sites; s++)
        number[s] = -1;
    for (int r = 0; r < ranks.size; r++)
        if (number[site_of_rank(ranks.world_rank[r])] < 0)
            number[site_of_rank(ranks.world_rank[r])] = sites++;
    Network *network = new_network(ranks.size, 2, sites, 0);
    for (int r = 0; network && r < ranks.size; r++)
        group_array(network, 0)[r] = number[site_of_rank(ranks.world_rank[r])];
    if (network)
        number_nodes(network, ranks);
    free(number);
    return network;
}

bool spans_sites(Members ranks)
{
    for (int r = 1; r < ranks.size; r++)
        if (site_of_rank(ranks.world_rank[r]) != site_of_rank(ranks.world_rank[0]))
            return true;
    return false;
}

static int *copied(Members ranks)
{
    int *copy = malloc((size_t)ranks.size * sizeof *copy + 1);
    if (copy)
        memcpy(copy, ranks.world_rank, (size_t)ranks.size * sizeof *copy);
    return copy;
}

static int count_here(Members ranks)
{
    int count = 0;
    for (int r = 0; r < ranks.size; r++)
        count += site_of_rank(ranks.world_rank[r]) == world.site;
    return count;
}

/* The remote group's ranks have one place after another in `local`, from this one on. */
static bool fill(Joined *j, Members mine, Members remote, int place)
{
    j->world_rank = copied(mine);
    j->remote_rank = j->inter ? copied(remote) : j->world_rank;
    j->to_local = malloc((size_t)remote.size * sizeof *j->to_local + 1);
    j->from_local = malloc((size_t)(mine.size + remote.size) * sizeof *j->from_local);
    j->context = context_of(j->number);
    if (!j->inter)
        j->network = network_of(mine);
    if (!j->world_rank || !j->remote_rank || !j->to_local || !j->from_local || !j->context ||
        (!j->inter && !j->network))
        return false;
    j->size = mine.size;
    j->rank = place_in(mine, world.rank);
    j->remote_size = remote.size;
    for (int i = 0; i < mine.size + remote.size; i++)
        j->from_local[i] = -1;
    for (int r = 0; r < remote.size; r++) {
        const bool here = site_of_rank(remote.world_rank[r]) == world.site;
        j->to_local[r] = here ? place + j->local_size++ : -1;
        if (here)
            j->from_local[j->to_local[r]] = r;
    }
    note_others(j);
    j->context->joined = j;
    when_joined(j->context);
    return true;
}

static Joined *new_joined(MPI_Comm local, int number)
{
    Joined *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->local = local;
    j->number = number;
    j->uses = 1;
    Joined **bucket = bucket_of(local);
    j->next = *bucket;
    *bucket = j;
    return j;
}

/* One of the two that make a communicator. NULL: no memory. */
static Joined *half(MPI_Comm local, int number, Members ranks)
{
    Joined *j = new_joined(local, number);
    if (!j || fill(j, ranks, ranks, 0))
        return j;
    free_joined(j);
    return NULL;
}

int split_own(MPI_Comm local, MPI_Comm *own)
{
    int rank;
    below.Comm_rank(local, &rank);
    return below.Comm_split(local, 0, rank, own); /* a dup would copy attributes */
}

/* The other half, for messages of ours: these are all ranks of both groups. */
static int join_own(Joined *j, MPI_Comm own, Members all)
{
    const int code = own == MPI_COMM_NULL ? split_own(j->local, &own) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    below.Comm_set_errhandler(own, MPI_ERRORS_RETURN); /* what goes wrong is told of `local` */
    Joined *ours = half(own, j->number + 1, all);
    if (!ours)
        return MPI_ERR_NO_MEM;
    j->own = ours->own = own;
    return MPI_SUCCESS;
}

int join_ranks(Halves halves, int number, Members ranks)
{
    Joined *j = half(halves.local, number, ranks);
    return j ? join_own(j, halves.own, ranks) : MPI_ERR_NO_MEM;
}

int join_groups(Halves halves, int number, Members mine, Members theirs, bool mine_first)
{
    Joined *j = new_joined(halves.local, number);
    if (!j)
        return MPI_ERR_NO_MEM;
    j->inter = true;
    j->first = mine_first;
    int *all = malloc((size_t)(mine.size + theirs.size) * sizeof *all);
    if (!all || !fill(j, mine, theirs, mine_first ? count_here(mine) : 0)) {
        free(all);
        free_joined(j);
        return MPI_ERR_NO_MEM;
    }
    memcpy(all + (mine_first ? 0 : theirs.size), mine.world_rank, (size_t)mine.size * sizeof *all);
    memcpy(all + (mine_first ? mine.size : 0), theirs.world_rank,
           (size_t)theirs.size * sizeof *all);
    const int code = join_own(j, halves.own, (Members){mine.size + theirs.size, all});
    free(all);
    return code;
}

bool comes_from(const Joined *j, int source, int world_rank)
{
    return source >= 0 && source < j->remote_size && j->remote_rank[source] == world_rank;
}

int join_world(void)
{
    int *all = malloc((size_t)world.ranks * sizeof *all);
    if (!all)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < world.ranks; r++)
        all[r] = r;
    const int code = join_ranks(HALF(MPI_COMM_WORLD), 0, (Members){world.ranks, all});
    free(all);
    return code;
}

int free_communicator(MPI_Comm *comm)
{
    Joined *j = joined_of(*comm);
    if (!j || *comm == MPI_COMM_WORLD)
        return below.Comm_free(comm);
    const int code = j->uses == 1 ? free_local(j) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    release_joined(j);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int get_group(MPI_Comm comm, MPI_Group *group)
{
    const Joined *j = joined_of(comm);
    if (j)
        return new_group(j->world_rank, j->size, group);
    MPI_Group native;
    const int code = below.Comm_group(comm, &native);
    return code == MPI_SUCCESS ? adopt_group(native, group) : code;
}
