/* Both groups of an intercommunicator are split alike. */
#include "split_groups.h"
#include "derived.h"
#include <stdlib.h>

bool both_in_one_site(Members mine, Members theirs)
{
    return !spans_sites(mine) && !spans_sites(theirs) &&
           site_of_rank(mine.world_rank[0]) == site_of_rank(theirs.world_rank[0]);
}

/* This site's ranks of two groups, one after the other, become a native intercommunicator. */
static int separate(MPI_Comm *made, int mine, bool mine_first)
{
    MPI_Comm both = *made, part;
    int rank;
    below.Comm_rank(both, &rank);
    int code = below.Comm_split(both, mine_first, rank, &part);
    if (code != MPI_SUCCESS)
        return code;
    code = below.Intercomm_create(part, 0, both, mine_first ? mine : 0, 0, made);
    below.Comm_free(&part);
    below.Comm_free(&both);
    return code;
}

/* World ranks of the places that `order` names. */
static Members named(int *order, int count, const int *world_rank)
{
    for (int i = 0; i < count; i++)
        order[i] = world_rank[order[i]];
    return (Members){count, order};
}

static int place_of(const int *order, int count, int rank)
{
    int place = 0;
    while (place < count && order[place] != rank)
        place++;
    return place;
}

static int split_between(Joined *j, const Wish *all, int number, int color, int *order,
                         MPI_Comm *made)
{
    int *others = order + j->size;
    const Wish *mine = all + (j->first ? 0 : j->remote_size);
    const Wish *theirs = all + (j->first ? j->size : 0);
    const bool asked = color != MPI_UNDEFINED;
    const int count = asked ? sort_color(mine, j->size, color, order) : 0;
    const int other_count = asked ? sort_color(theirs, j->remote_size, color, others) : 0;
    const int key = place_of(order, count, j->rank) + (j->first ? 0 : other_count);
    const int code = below.Comm_split(j->local, other_count ? color : MPI_UNDEFINED, key, made);
    if (code != MPI_SUCCESS || *made == MPI_COMM_NULL)
        return code;
    const Members one = named(order, count, j->world_rank);
    const Members two = named(others, other_count, j->remote_rank);
    return both_in_one_site(one, two) ? separate(made, count, j->first)
                                      : join_groups(HALF(*made), number, one, two, j->first);
}

int split_groups(Joined *j, int color, int key, MPI_Comm *made)
{
    Wish *all;
    int code = collect(j, (Wish){color, key, 0}, &all);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    const int number = all->number;
    int *order = malloc((size_t)(j->size + j->remote_size) * sizeof *order);
    code = order ? split_between(j, all, number, color, order, made) : MPI_ERR_NO_MEM;
    free(order);
    free(all);
    return fail(j, code);
}
