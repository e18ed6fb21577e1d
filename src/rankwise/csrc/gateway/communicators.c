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

/* `local` becomes what these ranks have in common; context numbers `number` and the next. */
static int join(MPI_Comm local, int number, const int *world_rank, int size)
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

static int next_number = 2;

int join_world(void)
{
    int *all = malloc((size_t)world.ranks * sizeof *all);
    if (!all)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < world.ranks; r++)
        all[r] = r;
    const int code = join(MPI_COMM_WORLD, 0, all, world.ranks);
    free(all);
    return code;
}

/* New communicators: all ranks of the old one say what they want, and which numbers are free. */

typedef struct {
    int color, key, number;
} Wish;

static int collect(Joined *j, Wish wish, Wish **all)
{
    *all = malloc((size_t)j->size * sizeof **all);
    if (!*all)
        return MPI_ERR_NO_MEM;
    wish.number = next_number;
    const int code =
        call_Allgather(&wish, sizeof wish, MPI_BYTE, *all, sizeof wish, MPI_BYTE, j->own);
    for (int r = 0; r < j->size && code == MPI_SUCCESS; r++)
        if ((*all)[r].number > next_number)
            next_number = (*all)[r].number;
    if (code != MPI_SUCCESS)
        free(*all);
    return code;
}

/* Gives ranks a number of their own, the same one on all of them, whoever takes part in what. */
static int take_number(void)
{
    const int number = next_number;
    next_number += 2;
    return number;
}

static bool spans_sites(const int *world_rank, int size)
{
    for (int r = 1; r < size; r++)
        if (site_of_rank(world_rank[r]) != site_of_rank(world_rank[0]))
            return true;
    return false;
}

/* `made` is the library's part of these ranks. */
static int joined_if_needed(MPI_Comm made, int number, const int *world_rank, int size)
{
    if (made == MPI_COMM_NULL || !spans_sites(world_rank, size))
        return MPI_SUCCESS;
    return join(made, number, world_rank, size);
}

static int duplicate(Joined *j, MPI_Info info, MPI_Comm *made)
{
    Wish *all;
    int code = collect(j, (Wish){0}, &all);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    free(all);
    const int number = take_number();
    code = info == MPI_INFO_NULL ? below.Comm_dup(j->local, made)
                                 : below.Comm_dup_with_info(j->local, info, made);
    if (code == MPI_SUCCESS)
        code = join(*made, number, j->world_rank, j->size);
    return code;
}

int call_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    Joined *j = joined_of(comm);
    return j ? duplicate(j, MPI_INFO_NULL, newcomm) : below.Comm_dup(comm, newcomm);
}

int call_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    Joined *j = joined_of(comm);
    return j ? duplicate(j, info, newcomm) : below.Comm_dup_with_info(comm, info, newcomm);
}

/* The ranks of one color, by key and then by rank: their places in `order`. */
static int sort_color(const Wish *all, int size, int color, int *order)
{
    int count = 0;
    for (int r = 0; r < size; r++) {
        if (all[r].color != color)
            continue;
        int place = count++;
        while (place > 0 && all[order[place - 1]].key > all[r].key) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = r;
    }
    return count;
}

int call_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    Joined *j = joined_of(comm);
    Wish *all;
    if (!j)
        return below.Comm_split(comm, color, key, newcomm);
    if (color < 0 && color != MPI_UNDEFINED)
        return fail(j, MPI_ERR_ARG);
    int code = collect(j, (Wish){color, key, 0}, &all);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    const int number = take_number();
    int *order = malloc((size_t)j->size * sizeof *order);
    code = order ? below.Comm_split(j->local, color, key, newcomm) : MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS && color != MPI_UNDEFINED) {
        const int size = sort_color(all, j->size, color, order);
        for (int i = 0; i < size; i++)
            order[i] = j->world_rank[order[i]];
        code = joined_if_needed(*newcomm, number, order, size);
    }
    free(order);
    free(all);
    return code;
}

int call_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    Joined *j = joined_of(comm);
    Members members;
    MPI_Group here;
    Wish *all;
    int code = MPI_SUCCESS;
    if (!j) {
        code = native_group(group, &here);
        if (code == MPI_SUCCESS)
            code = below.Comm_create(comm, here, newcomm);
        free_native_group(group, &here);
        return code;
    }
    if (!members_of(group, &members))
        return fail(j, MPI_ERR_GROUP);
    code = collect(j, (Wish){0}, &all);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    free(all);
    const int number = take_number();
    code = group_of_site(&members, &here);
    if (code == MPI_SUCCESS) {
        code = below.Comm_create(j->local, here, newcomm);
        if (here != MPI_GROUP_EMPTY)
            below.Group_free(&here);
    }
    if (code == MPI_SUCCESS)
        code = joined_if_needed(*newcomm, number, members.world_rank, members.size);
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

int call_Comm_rank(MPI_Comm comm, int *rank)
{
    const Joined *j = joined_of(comm);
    if (!j)
        return below.Comm_rank(comm, rank);
    *rank = j->rank;
    return MPI_SUCCESS;
}

int call_Comm_size(MPI_Comm comm, int *size)
{
    const Joined *j = joined_of(comm);
    if (!j)
        return below.Comm_size(comm, size);
    *size = j->size;
    return MPI_SUCCESS;
}

int call_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    const Joined *a = joined_of(comm1), *b = joined_of(comm2);
    if (!a && !b)
        return below.Comm_compare(comm1, comm2, result);
    *result = MPI_UNEQUAL;
    if (a == b)
        *result = MPI_IDENT;
    else if (a && b) {
        const int same = compare_ranks(a->world_rank, a->size, b->world_rank, b->size);
        *result = same == MPI_IDENT ? MPI_CONGRUENT : same;
    }
    return MPI_SUCCESS;
}

int call_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    const Joined *j = joined_of(comm);
    if (j)
        return new_group(j->world_rank, j->size, group);
    MPI_Group native;
    const int code = below.Comm_group(comm, &native);
    return code == MPI_SUCCESS ? adopt_group(native, group) : code;
}

int call_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    MPI_Group native;
    const int code = below.Comm_remote_group(comm, &native);
    return code == MPI_SUCCESS ? adopt_group(native, group) : code;
}

/* What the sites' libraries do not agree on by themselves. */
int call_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
    if (comm_keyval == MPI_TAG_UB && joined_of(comm)) {
        *(int **)attribute_val = &world.tag_bound;
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (comm_keyval == MPI_UNIVERSE_SIZE && joined_of(comm)) {
        *(int **)attribute_val = &world.ranks;
        *flag = 1;
        return MPI_SUCCESS;
    }
    return below.Comm_get_attr(comm, comm_keyval, attribute_val, flag);
}

int call_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
    return call_Comm_get_attr(comm, keyval, attribute_val, flag);
}
