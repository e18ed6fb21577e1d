/* New communicators from others: the ranks of the old one say what they want, and the first one
 * gives the new one's number. */
#include "derived.h"
#include "calls.h"
#include "groups.h"
#include "topologies.h"
#include <stdlib.h>

int collect(Joined *j, Wish wish, Wish **all)
{
    enum { INTS = sizeof wish / sizeof(int) };
    const Joined *own = joined_of(j->own);
    *all = malloc((size_t)own->size * sizeof **all);
    if (!*all)
        return MPI_ERR_NO_MEM;
    wish.number = j->mixed ? next_mixed : own->rank == 0 ? new_number() : 0;
    int code = call_Allgather(&wish, INTS, MPI_INT, *all, INTS, MPI_INT, j->own);
    for (int r = 1; r < own->size && code == MPI_SUCCESS && j->mixed; r++)
        if ((*all)[r].number > (*all)->number)
            (*all)->number = (*all)[r].number;
    if (code == MPI_SUCCESS && j->mixed)
        (*all)->number = take_mixed((*all)->number);
    if (code == MPI_SUCCESS && !(*all)->number)
        code = MPI_ERR_INTERN;
    if (code != MPI_SUCCESS)
        free(*all);
    return code;
}

int hear_number(const Joined *j, int *number)
{
    int agreed;
    if (j->mixed) {
        const int wrong = call_Allreduce(&next_mixed, &agreed, 1, MPI_INT, MPI_MAX, j->own);
        *number = wrong == MPI_SUCCESS ? take_mixed(agreed) : 0;
        return wrong;
    }
    if (joined_of(j->own)->rank == 0)
        *number = new_number();
    const int code = call_Bcast(number, 1, MPI_INT, 0, j->own);
    return code == MPI_SUCCESS && !*number ? MPI_ERR_INTERN : code;
}

/* `made` is the library's part of these ranks. */
static int joined_if_needed(MPI_Comm made, int number, Members ranks)
{
    if (made == MPI_COMM_NULL || !spans_sites(ranks))
        return MPI_SUCCESS;
    return join_ranks(HALF(made), number, ranks);
}

int join_copy(const Joined *j, Halves halves, int number)
{
    const Members mine = {j->size, j->world_rank};
    if (j->inter)
        return join_groups(halves, number, mine, (Members){j->remote_size, j->remote_rank},
                           j->first);
    const int code = join_ranks(halves, number, mine);
    if (code == MPI_SUCCESS && j->topology) {
        joined_of(halves.local)->topology = j->topology;
        j->topology->uses++;
    }
    return code;
}

static int duplicate(Joined *j, MPI_Info info, MPI_Comm *made)
{
    int number, code = hear_number(j, &number);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    code = info == MPI_INFO_NULL ? below.Comm_dup(j->local, made)
                                 : below.Comm_dup_with_info(j->local, info, made);
    return code == MPI_SUCCESS ? join_copy(j, HALF(*made), number) : code;
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

int sort_color(const Wish *all, int size, int color, int *order)
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
    if (j->inter)
        return split_groups(j, color, key, newcomm);
    int code = collect(j, (Wish){color, key, 0}, &all);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    const int number = all->number;
    int *order = malloc((size_t)j->size * sizeof *order);
    code = order ? below.Comm_split(j->local, color, key, newcomm) : MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS && color != MPI_UNDEFINED) {
        const int size = sort_color(all, j->size, color, order);
        for (int i = 0; i < size; i++)
            order[i] = j->world_rank[order[i]];
        code = joined_if_needed(*newcomm, number, (Members){size, order});
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
    int number, code = MPI_SUCCESS;
    if (!j) {
        code = native_group(group, &here);
        if (code == MPI_SUCCESS)
            code = below.Comm_create(comm, here, newcomm);
        free_native_group(group, &here);
        return code;
    }
    if (!members_of(group, &members))
        return fail(j, MPI_ERR_GROUP);
    if (j->inter) {
        const int rank = place_in(members, world.rank);
        return split_groups(j, rank < 0 ? MPI_UNDEFINED : 0, rank, newcomm);
    }
    code = hear_number(j, &number);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    code = group_of_site(&members, &here);
    if (code == MPI_SUCCESS) {
        code = below.Comm_create(j->local, here, newcomm);
        if (here != MPI_GROUP_EMPTY)
            below.Group_free(&here);
    }
    if (code == MPI_SUCCESS)
        code = joined_if_needed(*newcomm, number, members);
    return code;
}

/* Of an intercommunicator the ranks that share a node are named after the first of them. */
int call_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    Joined *j = joined_of(comm);
    MPI_Comm node;
    int color = MPI_UNDEFINED;
    if (!j || !j->inter)
        return below.Comm_split_type(comm, split_type, key, info, newcomm);
    int code = below.Comm_split_type(j->local, split_type, 0, info, &node);
    if (code == MPI_SUCCESS && node != MPI_COMM_NULL) {
        code = below.Allreduce(&world.rank, &color, 1, MPI_INT, MPI_MIN, node);
        below.Comm_free(&node);
    }
    return code == MPI_SUCCESS ? split_groups(j, color, key, newcomm) : code;
}
