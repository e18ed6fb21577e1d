#include "groups.h"
#include "gateway.h"
#include "slots.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    SlotKind slot;
    int size;
    int *world_rank;
} Group;

bool members_of(MPI_Group group, Members *members)
{
    *members = (Members){0, NULL};
    if (group == MPI_GROUP_EMPTY)
        return true;
    const Group *g = (const Group *)group;
    if (!is_slot(g) || g->slot != GROUP_SLOT)
        return false;
    *members = (Members){g->size, g->world_rank};
    return true;
}

int new_group(const int *world_rank, int size, MPI_Group *group)
{
    if (!size) {
        *group = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    int *ranks = malloc((size_t)size * sizeof *ranks);
    Group *g = ranks ? take_slot(GROUP_SLOT) : NULL;
    if (!g) {
        free(ranks);
        return MPI_ERR_NO_MEM;
    }
    memcpy(ranks, world_rank, (size_t)size * sizeof *ranks);
    g->size = size;
    g->world_rank = ranks;
    *group = (MPI_Group)g;
    return MPI_SUCCESS;
}

int free_group(MPI_Group *group)
{
    Members m;
    if (!members_of(*group, &m))
        return below.Group_free(group);
    if (*group != MPI_GROUP_EMPTY) { /* of which libraries count the handles that they gave */
        free((int *)m.world_rank);
        give_slot(*group);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

static MPI_Group site_group(void)
{
    static MPI_Group all = MPI_GROUP_NULL;
    if (all == MPI_GROUP_NULL)
        below.Comm_group(MPI_COMM_WORLD, &all);
    return all;
}

int adopt_group(MPI_Group native, MPI_Group *group)
{
    int size = 0;
    *group = native;
    if (native == MPI_GROUP_EMPTY || native == MPI_GROUP_NULL ||
        below.Group_size(native, &size) != MPI_SUCCESS)
        return MPI_SUCCESS;
    int *ranks = malloc(2 * (size_t)size * sizeof *ranks + 1), code = MPI_ERR_NO_MEM;
    for (int i = 0; ranks && i < size; i++)
        ranks[i] = i;
    if (ranks)
        code = below.Group_translate_ranks(native, size, ranks, site_group(), ranks + size);
    bool known = code == MPI_SUCCESS;
    for (int i = 0; known && i < size; i++) {
        known = ranks[size + i] >= 0;
        ranks[i] = ranks[size + i] + world.first[world.site];
    }
    if (known) {
        code = new_group(ranks, size, group);
        below.Group_free(&native);
    }
    free(ranks);
    return code;
}

int group_of_site(const Members *members, MPI_Group *native)
{
    int *ranks = malloc((size_t)members->size * sizeof *ranks + 1), count = 0;
    if (!ranks)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < members->size; i++)
        if (site_of_rank(members->world_rank[i]) == world.site)
            ranks[count++] = members->world_rank[i] - world.first[world.site];
    *native = MPI_GROUP_EMPTY;
    const int code = count ? below.Group_incl(site_group(), count, ranks, native) : MPI_SUCCESS;
    free(ranks);
    return code;
}

int native_group(MPI_Group group, MPI_Group *native)
{
    Members members;
    *native = group;
    if (!members_of(group, &members) || !members.size)
        return MPI_SUCCESS;
    for (int i = 0; i < members.size; i++)
        if (site_of_rank(members.world_rank[i]) != world.site)
            return MPI_ERR_GROUP;
    return group_of_site(&members, native);
}

void free_native_group(MPI_Group group, MPI_Group *native)
{
    if (*native != group && *native != MPI_GROUP_EMPTY && *native != MPI_GROUP_NULL)
        below.Group_free(native);
}

int place_in(Members m, int world_rank)
{
    for (int i = 0; i < m.size; i++)
        if (m.world_rank[i] == world_rank)
            return i;
    return MPI_UNDEFINED;
}

int compare_ranks(const int *a, int a_size, const int *b, int b_size)
{
    if (a_size != b_size)
        return MPI_UNEQUAL;
    if (!a_size || !memcmp(a, b, (size_t)a_size * sizeof *a))
        return MPI_IDENT;
    for (int i = 0; i < a_size; i++)
        if (place_in((Members){b_size, b}, a[i]) == MPI_UNDEFINED)
            return MPI_UNEQUAL;
    return MPI_SIMILAR;
}
