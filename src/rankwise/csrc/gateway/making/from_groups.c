/* Communicators that only the processes of a group make. */
#include "calls.h"
#include "derived.h"
#include <stdlib.h>

/* All of the group hear of a number that the first one gives. */
static int agree(Members members, int tag, int *number)
{
    const MPI_Comm all = joined_of(MPI_COMM_WORLD)->own;
    const int first = members.world_rank[0];
    int code = MPI_SUCCESS;
    if (world.rank != first)
        return PMPI_Recv(number, 1, MPI_INT, first, tag, all, MPI_STATUS_IGNORE);
    *number = new_number();
    for (int r = 1; r < members.size && code == MPI_SUCCESS; r++)
        code = PMPI_Send(number, 1, MPI_INT, members.world_rank[r], tag, all);
    return code == MPI_SUCCESS && !*number ? MPI_ERR_INTERN : code;
}

/* Two neighbouring parts of the site's ranks become one; `other` is the first of the other part. */
static int unite_parts(MPI_Comm *part, int other, bool second, int tag)
{
    MPI_Comm inter, old = *part;
    int code = below.Intercomm_create(old, 0, joined_of(MPI_COMM_WORLD)->own, other, tag, &inter);
    if (code != MPI_SUCCESS)
        return code;
    code = below.Intercomm_merge(inter, second, part);
    below.Comm_free(&inter);
    below.Comm_free(&old);
    return code;
}

/* The native communicator of this site's part of the group, made by these ranks alone, for a
 * library without MPI_Comm_create_group. */
static int unite_all(Members members, int tag, MPI_Comm *made)
{
    int *here = malloc((size_t)members.size * sizeof *here), count = 0, me = 0;
    if (!here)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < members.size; i++) {
        if (members.world_rank[i] == world.rank)
            me = count;
        if (site_of_rank(members.world_rank[i]) == world.site)
            here[count++] = members.world_rank[i] - world.first[world.site];
    }
    int code = below.Comm_split(MPI_COMM_SELF, 0, 0, made);
    for (int step = 1; step < count && code == MPI_SUCCESS; step *= 2) {
        const int first = me / (2 * step) * (2 * step), middle = first + step;
        if (middle < count)
            code = unite_parts(made, here[me < middle ? middle : first], me >= middle, tag);
    }
    free(here);
    return code;
}

static int make_part(Joined *j, Members members, int tag, MPI_Comm *made)
{
    MPI_Group here;
    if (world.old_library)
        return unite_all(members, tag_of_program(world.tag_bound, j->number, tag), made);
    int code = group_of_site(&members, &here);
    if (code != MPI_SUCCESS)
        return code;
    code = below.Comm_create_group(j->local, here, tag, made);
    below.Group_free(&here);
    return code;
}

static int create_across(Joined *j, Members members, int tag, MPI_Comm *made)
{
    Halves halves = HALF(MPI_COMM_NULL);
    int number, code = agree(members, tag_of_program(world.tag_bound, j->number, tag), &number);
    if (code == MPI_SUCCESS)
        code = make_part(j, members, tag, &halves.local);
    if (code == MPI_SUCCESS)
        code = make_part(j, members, tag, &halves.own);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    *made = halves.local;
    inherit_handler(j->local, *made);
    return join_ranks(halves, number, members);
}

static int create_group(Joined *j, Members members, int tag, MPI_Comm *made)
{
    MPI_Group here;
    *made = MPI_COMM_NULL;
    if (place_in(members, world.rank) == MPI_UNDEFINED)
        return MPI_SUCCESS;
    for (int i = 0; i < members.size; i++)
        if (members.world_rank[i] >= world.ranks) /* of another job */
            return refuse_call(j->local, NUMBER_Comm_create_group);
    if (spans_sites(members))
        return create_across(j, members, tag, made);
    int code = group_of_site(&members, &here);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    code = below.Comm_create_group(j->local, here, tag, made);
    below.Group_free(&here);
    return code;
}

int call_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    Joined *j = joined_of(comm);
    Members members;
    MPI_Group here;
    if (j && j->inter)
        return fail(j, MPI_ERR_COMM);
    if (j)
        return members_of(group, &members) ? create_group(j, members, tag, newcomm)
                                           : fail(j, MPI_ERR_GROUP);
    int code = native_group(group, &here);
    if (code == MPI_SUCCESS)
        code = below.Comm_create_group(comm, here, tag, newcomm);
    free_native_group(group, &here);
    return code;
}

/* Calls of several threads are told apart by the string. */
static int tag_of_string(const char *string)
{
    unsigned hash = 5381;
    while (*string)
        hash = hash * 33 + (unsigned char)*string++;
    return (int)(hash % (unsigned)world.tag_bound);
}

static int from_group(MPI_Group group, int tag, MPI_Errhandler errhandler, MPI_Comm *made)
{
    Members members;
    if (!members_of(group, &members))
        return fail(NULL, MPI_ERR_GROUP);
    const int code = create_group(joined_of(MPI_COMM_WORLD), members, tag, made);
    if (code == MPI_SUCCESS && *made != MPI_COMM_NULL && errhandler != MPI_ERRHANDLER_NULL)
        below.Comm_set_errhandler(*made, errhandler);
    return code;
}

int call_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                                MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    if (!world.started)
        return below.Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
    return from_group(group, tag_of_string(stringtag), errhandler, newcomm);
}

int call_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                      MPI_Group remote_group, int remote_leader,
                                      const char *stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
    Members theirs;
    MPI_Comm local;
    if (!world.started)
        return below.Intercomm_create_from_groups(local_group, local_leader, remote_group,
                                                  remote_leader, stringtag, info, errhandler,
                                                  newintercomm);
    const bool known = members_of(remote_group, &theirs);
    if (known && (remote_leader < 0 || remote_leader >= theirs.size))
        return fail(NULL, MPI_ERR_RANK);
    int code = known ? from_group(local_group, tag_of_string(stringtag), errhandler, &local)
                     : fail(NULL, MPI_ERR_GROUP);
    if (code != MPI_SUCCESS)
        return code;
    code =
        PMPI_Intercomm_create(local, local_leader, MPI_COMM_WORLD, theirs.world_rank[remote_leader],
                              tag_of_string(stringtag), newintercomm);
    free_communicator(&local);
    return code;
}
