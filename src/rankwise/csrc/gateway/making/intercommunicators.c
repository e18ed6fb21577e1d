/* Communicators between two groups. The program's handle is a native one of this site's ranks of
 * both groups: first those of one group, then those of the other. */
#include "calls.h"
#include "derived.h"
#include "split_groups.h"
#include <stdlib.h>
#include <string.h>

static Joined *whole_job(void)
{
    return joined_of(MPI_COMM_WORLD);
}

static int in_site(int world_rank)
{
    return world_rank - world.first[world.site];
}

/* The first of them that is in this site: -1, none is. */
static int first_here(Members ranks)
{
    for (int r = 0; r < ranks.size; r++)
        if (site_of_rank(ranks.world_rank[r]) == world.site)
            return ranks.world_rank[r];
    return -1;
}

/* The native communicator of this site's ranks of both groups; `part` is that of its own group. */
static int unite(MPI_Comm part, Members theirs, bool mine_first, int tag, MPI_Comm *both)
{
    const int other = first_here(theirs);
    MPI_Comm inter;
    int rank;
    if (other < 0) {
        below.Comm_rank(part, &rank);
        return below.Comm_split(part, 0, rank, both);
    }
    int code = below.Intercomm_create(part, 0, whole_job()->own, in_site(other), tag, &inter);
    if (code != MPI_SUCCESS)
        return code;
    code = below.Intercomm_merge(inter, !mine_first, both);
    below.Comm_free(&inter);
    return code;
}

/* What one group has to know of the other. */
typedef struct {
    int number, size; /* size -1: there is no such leader; -2: it is of another job */
    int tag;          /* of messages between the two */
} About;
enum { ABOUT_INTS = sizeof(About) / sizeof(int) };
enum { NO_LEADER = -1, OTHER_JOB = -2 };

/* The world's rank of a rank of `comm`. */
static int rank_in_world(MPI_Comm comm, int rank)
{
    MPI_Group group;
    Members members;
    int found = NO_LEADER;
    if (get_group(comm, &group) != MPI_SUCCESS)
        return found;
    if (!members_of(group, &members))
        found = OTHER_JOB;
    else if (rank >= 0 && rank < members.size)
        found = members.world_rank[rank] < world.ranks ? members.world_rank[rank] : OTHER_JOB;
    free_group(&group);
    return found;
}

/* The leaders tell each other of their groups. `ranks` is to be freed. */
static int ask_leader(int leader, Members mine, About *about, int **ranks)
{
    const MPI_Comm all = whole_job()->own;
    const int tag = about->tag;
    const About own = {about->number, mine.size, tag};
    int code = PMPI_Sendrecv(&own, ABOUT_INTS, MPI_INT, leader, tag, about, ABOUT_INTS, MPI_INT,
                             leader, tag, all, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    if (world.rank < leader)
        about->number = own.number;
    *ranks = malloc((size_t)about->size * sizeof **ranks);
    if (!*ranks)
        return MPI_ERR_NO_MEM;
    return PMPI_Sendrecv(mine.world_rank, mine.size, MPI_INT, leader, tag, *ranks, about->size,
                         MPI_INT, leader, tag, all, MPI_STATUS_IGNORE);
}

/* All of one group hear of the other; `quiet` has its ranks, but no error handler
 * of the program's. `leader` counts on the leader
 * alone. */
static int hear_of(MPI_Comm quiet, int local_leader, int leader, int tag, Members mine,
                   About *about, int **ranks)
{
    const bool leads = mine.world_rank[local_leader] == world.rank;
    int code = MPI_SUCCESS;
    *about = (About){leads ? new_number() : 0, leader, tag};
    if (leads && leader >= 0)
        code = ask_leader(leader, mine, about, ranks);
    if (code == MPI_SUCCESS)
        code = PMPI_Bcast(about, ABOUT_INTS, MPI_INT, local_leader, quiet);
    if (code != MPI_SUCCESS || about->size < 0)
        return code;
    if (!leads)
        *ranks = malloc((size_t)about->size * sizeof **ranks);
    if (!*ranks)
        return MPI_ERR_NO_MEM;
    return PMPI_Bcast(*ranks, about->size, MPI_INT, local_leader, quiet);
}

/* Both groups are known. */
static int between(MPI_Comm local_comm, MPI_Comm quiet, int local_leader, int leader, Members mine,
                   Members theirs, const About *about, MPI_Comm *made)
{
    const bool mine_first = mine.world_rank[0] < theirs.world_rank[0];
    if (both_in_one_site(mine, theirs))
        return below.Intercomm_create(local_comm, local_leader, whole_job()->own, in_site(leader),
                                      about->tag, made);
    int code = unite(quiet, theirs, mine_first, about->tag, made);
    if (code != MPI_SUCCESS)
        return code;
    inherit_handler(local_comm, *made);
    return join_groups(HALF(*made), about->number, mine, theirs, mine_first);
}

static int create_between(MPI_Comm local_comm, int local_leader, int leader, int tag, Members mine,
                          MPI_Comm *made)
{
    Joined *j = joined_of(local_comm);
    const MPI_Comm quiet = j ? j->own : local_comm;
    About about;
    int *ranks = NULL;
    int code = hear_of(quiet, local_leader, leader, tag, mine, &about, &ranks);
    if (code == MPI_SUCCESS && about.size == NO_LEADER)
        code = MPI_ERR_RANK;
    else if (code == MPI_SUCCESS && about.size == OTHER_JOB)
        code = OTHER_JOB;
    else if (code == MPI_SUCCESS)
        code = between(local_comm, quiet, local_leader, leader, mine, (Members){about.size, ranks},
                       &about, made);
    free(ranks);
    return code == OTHER_JOB ? code : fail(j, code);
}

/* That all its ranks know; those of a communicator of one site alone have none. Only the leaders
 * need it, and only they have to have a peer communicator. */
static int number_of(MPI_Comm comm)
{
    const Joined *j = joined_of(comm);
    return j ? j->number : 0;
}

int call_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                          int remote_leader, int tag, MPI_Comm *newintercomm)
{
    MPI_Group group;
    Members mine;
    int code = OTHER_JOB;
    if (!world.started || get_group(local_comm, &group) != MPI_SUCCESS)
        return below.Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag,
                                      newintercomm);
    if (members_of(group, &mine) && !(joined_of(local_comm) && joined_of(local_comm)->mixed)) {
        if (local_leader < 0 || local_leader >= mine.size)
            code = fail(joined_of(local_comm), MPI_ERR_RANK);
        else
            code = create_between(local_comm, local_leader,
                                  mine.world_rank[local_leader] == world.rank
                                      ? rank_in_world(peer_comm, remote_leader)
                                      : NO_LEADER,
                                  tag_of_program(world.tag_bound, number_of(peer_comm), tag), mine,
                                  newintercomm);
    }
    free_group(&group);
    if (code != OTHER_JOB)
        return code;
    if (joined_of(local_comm))
        return refuse_call(local_comm, NUMBER_Intercomm_create);
    return below.Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag,
                                  newintercomm);
}

int call_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
    Joined *j = joined_of(intercomm);
    Wish *all;
    if (!j)
        return below.Intercomm_merge(intercomm, high, newintracomm);
    if (!j->inter)
        return fail(j, MPI_ERR_COMM);
    const Joined *own = joined_of(j->own);
    int code = collect(j, (Wish){0, high != 0, 0}, &all);
    if (code != MPI_SUCCESS)
        return fail(j, code);
    const int theirs = all[j->first ? own->size - 1 : 0].key;
    free(all);
    const int key = own->rank + (high && !theirs ? own->size : 0);
    code = PMPI_Comm_split(j->own, 0, key, newintracomm);
    if (code == MPI_SUCCESS)
        inherit_handler(intercomm, *newintracomm);
    return fail(j, code);
}
