#include "groups.h"
#include "calls.h"
#include "communicators.h"
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
    Group *g = take_slot(GROUP_SLOT);
    int *ranks = malloc((size_t)size * sizeof *ranks);
    if (!g || !ranks)
        return MPI_ERR_NO_MEM;
    memcpy(ranks, world_rank, (size_t)size * sizeof *ranks);
    g->size = size;
    g->world_rank = ranks;
    *group = (MPI_Group)g;
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

static int place_in(Members m, int world_rank)
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

int call_Group_size(MPI_Group group, int *size)
{
    Members m;
    if (!members_of(group, &m))
        return below.Group_size(group, size);
    *size = m.size;
    return MPI_SUCCESS;
}

int call_Group_rank(MPI_Group group, int *rank)
{
    Members m;
    if (!members_of(group, &m))
        return below.Group_rank(group, rank);
    *rank = place_in(m, world.rank);
    return MPI_SUCCESS;
}

int call_Group_free(MPI_Group *group)
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

/* Two groups are both ours, or both the library's, or cannot meet. */
static int both(MPI_Group one, MPI_Group other, Members *a, Members *b)
{
    const bool first = members_of(one, a), second = members_of(other, b);
    if (first && second)
        return MPI_SUCCESS;
    const bool apart = (first && one != MPI_GROUP_EMPTY) || (second && other != MPI_GROUP_EMPTY);
    return apart ? fail(NULL, MPI_ERR_GROUP) : -1;
}

int call_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[])
{
    Members a, b;
    const int code = both(group1, group2, &a, &b);
    if (code)
        return code > 0 ? code : below.Group_translate_ranks(group1, n, ranks1, group2, ranks2);
    for (int i = 0; i < n; i++) {
        if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= a.size))
            return fail(NULL, MPI_ERR_RANK);
        ranks2[i] =
            ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : place_in(b, a.world_rank[ranks1[i]]);
    }
    return MPI_SUCCESS;
}

int call_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
    Members a, b;
    const int code = both(group1, group2, &a, &b);
    if (code)
        return code > 0 ? code : below.Group_compare(group1, group2, result);
    *result = compare_ranks(a.world_rank, a.size, b.world_rank, b.size);
    return MPI_SUCCESS;
}

/* Those of `a` that are (not) in `b`, and with `rest` then those of `b` that are not in `a`. */
static int combine(Members a, Members b, bool first, bool shared, bool rest, MPI_Group *made)
{
    int *ranks = malloc((size_t)(a.size + b.size) * sizeof *ranks + 1), count = 0;
    if (!ranks)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < a.size; i++)
        if (place_in(b, a.world_rank[i]) == MPI_UNDEFINED ? first : shared)
            ranks[count++] = a.world_rank[i];
    for (int i = 0; rest && i < b.size; i++)
        if (place_in(a, b.world_rank[i]) == MPI_UNDEFINED)
            ranks[count++] = b.world_rank[i];
    const int code = new_group(ranks, count, made);
    free(ranks);
    return code;
}

#define COMBINED(name, first, shared, rest)                                                        \
    int call_Group_##name(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)                 \
    {                                                                                              \
        Members a, b;                                                                              \
        const int code = both(group1, group2, &a, &b);                                             \
        if (code)                                                                                  \
            return code > 0 ? code : below.Group_##name(group1, group2, newgroup);                 \
        return combine(a, b, first, shared, rest, newgroup);                                       \
    }

COMBINED(union, true, true, true)
COMBINED(intersection, false, true, false)
COMBINED(difference, true, false, false)

/* The members at these places, in their order; or, `without` them, all others in the group's. */
static int choose(Members m, int n, const int *places, bool without, MPI_Group *made)
{
    int *ranks = malloc((size_t)(m.size + n) * sizeof *ranks + 1), count = 0;
    char *chosen = calloc((size_t)m.size + 1, 1);
    int code = ranks && chosen ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
        if (places[i] < 0 || places[i] >= m.size || chosen[places[i]]++)
            code = fail(NULL, MPI_ERR_RANK);
        else if (!without)
            ranks[count++] = m.world_rank[places[i]];
    }
    for (int i = 0; without && i < m.size && code == MPI_SUCCESS; i++)
        if (!chosen[i])
            ranks[count++] = m.world_rank[i];
    if (code == MPI_SUCCESS)
        code = new_group(ranks, count, made);
    free(ranks);
    free(chosen);
    return code;
}

int call_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    Members m;
    if (!members_of(group, &m))
        return below.Group_incl(group, n, ranks, newgroup);
    return choose(m, n, ranks, false, newgroup);
}

int call_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    Members m;
    if (!members_of(group, &m))
        return below.Group_excl(group, n, ranks, newgroup);
    return choose(m, n, ranks, true, newgroup);
}

static int choose_ranges(Members m, int n, int ranges[][3], bool without, MPI_Group *made)
{
    int *places = malloc((size_t)(m.size + 1) * sizeof *places), count = 0, code = MPI_SUCCESS;
    if (!places)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
        const int step = ranges[i][2];
        if (!step)
            code = fail(NULL, MPI_ERR_ARG);
        for (int r = ranges[i][0]; !code && (step > 0 ? r <= ranges[i][1] : r >= ranges[i][1]);
             r += step) {
            if (count == m.size)
                code = fail(NULL, MPI_ERR_RANK);
            else
                places[count++] = r;
        }
    }
    if (code == MPI_SUCCESS)
        code = choose(m, count, places, without, made);
    free(places);
    return code;
}

int call_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    Members m;
    if (!members_of(group, &m))
        return below.Group_range_incl(group, n, ranges, newgroup);
    return choose_ranges(m, n, ranges, false, newgroup);
}

int call_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    Members m;
    if (!members_of(group, &m))
        return below.Group_range_excl(group, n, ranges, newgroup);
    return choose_ranges(m, n, ranges, true, newgroup);
}

enum { NUMBERS_OF_OURS = 1 << 24 }; /* beyond what is counted from 0, and no address */

int call_Group_toint(MPI_Group group)
{
    if (is_slot(group))
        return NUMBERS_OF_OURS + (int)number_of_slot(group);
    return below.Group_toint(group);
}

MPI_Group call_Group_fromint(int group)
{
    if (group >= NUMBERS_OF_OURS && group < NUMBERS_OF_OURS + SLOT_COUNT)
        return slot_of_number((uint64_t)(group - NUMBERS_OF_OURS), GROUP_SLOT);
    return below.Group_fromint(group);
}
