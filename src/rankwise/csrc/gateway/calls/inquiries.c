/* What a communicator is asked. */
#include "calls.h"
#include "communicators.h"
#include "groups.h"
#include <stdlib.h>

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

static int compare_groups(const Joined *a, const Joined *b)
{
    const int mine = compare_ranks(a->world_rank, a->size, b->world_rank, b->size);
    const int theirs =
        compare_ranks(a->remote_rank, a->remote_size, b->remote_rank, b->remote_size);
    if (mine == MPI_UNEQUAL || theirs == MPI_UNEQUAL)
        return MPI_UNEQUAL;
    return mine == MPI_IDENT && theirs == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

int call_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    const Joined *a = joined_of(comm1), *b = joined_of(comm2);
    if (!a && !b)
        return below.Comm_compare(comm1, comm2, result);
    *result = MPI_UNEQUAL;
    if (a == b)
        *result = MPI_IDENT;
    else if (a && b && a->inter == b->inter)
        *result = compare_groups(a, b);
    return MPI_SUCCESS;
}

int call_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    return get_group(comm, group);
}

int call_Comm_remote_size(MPI_Comm comm, int *size)
{
    const Joined *j = joined_of(comm);
    if (!j)
        return below.Comm_remote_size(comm, size);
    *size = j->remote_size;
    return j->inter ? MPI_SUCCESS : fail(j, MPI_ERR_COMM);
}

int call_Comm_test_inter(MPI_Comm comm, int *flag)
{
    const Joined *j = joined_of(comm);
    if (!j)
        return below.Comm_test_inter(comm, flag);
    *flag = j->inter;
    return MPI_SUCCESS;
}

int call_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    MPI_Group native;
    const Joined *j = joined_of(comm);
    if (j)
        return j->inter ? new_group(j->remote_rank, j->remote_size, group) : fail(j, MPI_ERR_COMM);
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
    if (comm_keyval == MPI_WTIME_IS_GLOBAL && joined_of(comm)) {
        static int no;
        *(int **)attribute_val = &no;
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (comm_keyval == MPI_APPNUM && joined_of(comm)) {
        *flag = 0; /* each site's would be 0 */
        return MPI_SUCCESS;
    }
    return below.Comm_get_attr(comm, comm_keyval, attribute_val, flag);
}

int call_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
    return call_Comm_get_attr(comm, keyval, attribute_val, flag);
}

int call_Comm_free(MPI_Comm *comm)
{
    return free_communicator(comm);
}

int call_Comm_disconnect(MPI_Comm *comm)
{
    return joined_of(*comm) ? free_communicator(comm) : below.Comm_disconnect(comm);
}
