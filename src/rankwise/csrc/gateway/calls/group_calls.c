#include "calls.h"
#include "communicators.h"
#include "groups.h"
#include "slots.h"
#include <stdlib.h>
#include <string.h>

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
    return free_group(group);
}

/* Two groups are both ours, or both the library's, or cannot meet. */
static int members_of_both(MPI_Group one, MPI_Group other, Members *a, Members *b)
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
    const int code = members_of_both(group1, group2, &a, &b);
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
    const int code = members_of_both(group1, group2, &a, &b);
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
        const int code = members_of_both(group1, group2, &a, &b);                                  \
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
