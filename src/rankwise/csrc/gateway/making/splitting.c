/* Communicators of all ranks of another one, or of some. */
#include "calls.h"
#include "derived.h"
#include "groups.h"
#include "split_groups.h"
#include <stdlib.h>

/* `made` is the library's part of these ranks. */
static int joined_if_needed(MPI_Comm made, int number, Members ranks)
{
    if (made == MPI_COMM_NULL || !spans_sites(ranks))
        return MPI_SUCCESS;
    return join_ranks(HALF(made), number, ranks);
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
