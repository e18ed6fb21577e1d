/* Communicators between two groups. The program's handle is a native one of this site's ranks of
 * both groups: first those of one group, then those of the other. */
#include "calls.h"
#include "derived.h"
#include <stdlib.h>
#include <string.h>

/* Beyond the tags of collective operations on the world's own communicator. */
enum { LEADERS_BELOW_BOUND = 1, SITE_BELOW_BOUND = 2 };

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
static int unite(MPI_Comm part, Members theirs, bool mine_first, MPI_Comm *both)
{
    const int other = first_here(theirs);
    MPI_Comm inter;
    int rank;
    if (other < 0) {
        below.Comm_rank(part, &rank);
        return below.Comm_split(part, 0, rank, both);
    }
    int code = below.Intercomm_create(part, 0, whole_job()->own, in_site(other),
                                      world.tag_bound - SITE_BELOW_BOUND, &inter);
    if (code != MPI_SUCCESS)
        return code;
    code = below.Intercomm_merge(inter, !mine_first, both);
    below.Comm_free(&inter);
    return code;
}

/* What one group has to know of the other. */
typedef struct {
    int number, size; /* size -1: there is no such leader; -2: it is of another job */
} About;
enum { ABOUT_INTS = sizeof(About) / sizeof(int) };
enum { NO_LEADER = -1, OTHER_JOB = -2 };

/* The world's rank of a rank of `comm`. */
static int rank_in_world(MPI_Comm comm, int rank)
{
    MPI_Group group;
    Members members;
    int found = NO_LEADER;
    if (call_Comm_group(comm, &group) != MPI_SUCCESS)
        return found;
    if (!members_of(group, &members))
        found = OTHER_JOB;
    else if (rank >= 0 && rank < members.size)
        found = members.world_rank[rank] < world.ranks ? members.world_rank[rank] : OTHER_JOB;
    call_Group_free(&group);
    return found;
}

/* The leaders tell each other of their groups. `ranks` is to be freed. */
static int ask_leader(int leader, Members mine, About *about, int **ranks)
{
    const MPI_Comm all = whole_job()->own;
    const int tag = world.tag_bound - LEADERS_BELOW_BOUND;
    const About own = {about->number, mine.size};
    int code = call_Sendrecv(&own, ABOUT_INTS, MPI_INT, leader, tag, about, ABOUT_INTS, MPI_INT,
                             leader, tag, all, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    if (world.rank < leader)
        about->number = own.number;
    *ranks = malloc((size_t)about->size * sizeof **ranks);
    if (!*ranks)
        return MPI_ERR_NO_MEM;
    return call_Sendrecv(mine.world_rank, mine.size, MPI_INT, leader, tag, *ranks, about->size,
                         MPI_INT, leader, tag, all, MPI_STATUS_IGNORE);
}

/* All of one group hear of the other; `quiet` has its ranks, but no error handler
 * of the program's. `leader` counts on the leader
 * alone. */
static int hear_of(MPI_Comm quiet, int local_leader, int leader, Members mine, About *about,
                   int **ranks)
{
    const bool leads = mine.world_rank[local_leader] == world.rank;
    int code = MPI_SUCCESS;
    *about = (About){leads ? new_number() : 0, leader};
    if (leads && leader >= 0)
        code = ask_leader(leader, mine, about, ranks);
    if (code == MPI_SUCCESS)
        code = call_Bcast(about, ABOUT_INTS, MPI_INT, local_leader, quiet);
    if (code != MPI_SUCCESS || about->size < 0)
        return code;
    if (!leads)
        *ranks = malloc((size_t)about->size * sizeof **ranks);
    if (!*ranks)
        return MPI_ERR_NO_MEM;
    return call_Bcast(*ranks, about->size, MPI_INT, local_leader, quiet);
}

static bool both_in_one_site(Members mine, Members theirs)
{
    return !spans_sites(mine) && !spans_sites(theirs) &&
           site_of_rank(mine.world_rank[0]) == site_of_rank(theirs.world_rank[0]);
}

/* Both groups are known. */
static int between(MPI_Comm local_comm, MPI_Comm quiet, int local_leader, int leader, Members mine,
                   Members theirs, int number, MPI_Comm *made)
{
    const bool mine_first = mine.world_rank[0] < theirs.world_rank[0];
    if (both_in_one_site(mine, theirs))
        return below.Intercomm_create(local_comm, local_leader, whole_job()->own, in_site(leader),
                                      world.tag_bound - SITE_BELOW_BOUND, made);
    int code = unite(quiet, theirs, mine_first, made);
    if (code != MPI_SUCCESS)
        return code;
    inherit_handler(local_comm, *made);
    return join_groups(HALF(*made), number, mine, theirs, mine_first);
}

static int create_between(MPI_Comm local_comm, int local_leader, int leader, Members mine,
                          MPI_Comm *made)
{
    Joined *j = joined_of(local_comm);
    const MPI_Comm quiet = j ? j->own : local_comm;
    About about;
    int *ranks = NULL;
    int code = hear_of(quiet, local_leader, leader, mine, &about, &ranks);
    if (code == MPI_SUCCESS && about.size == NO_LEADER)
        code = MPI_ERR_RANK;
    else if (code == MPI_SUCCESS && about.size == OTHER_JOB)
        code = OTHER_JOB;
    else if (code == MPI_SUCCESS)
        code = between(local_comm, quiet, local_leader, leader, mine, (Members){about.size, ranks},
                       about.number, made);
    free(ranks);
    return code == OTHER_JOB ? code : fail(j, code);
}

int call_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                          int remote_leader, int tag, MPI_Comm *newintercomm)
{
    MPI_Group group;
    Members mine;
    int code = OTHER_JOB;
    if (!world.started || call_Comm_group(local_comm, &group) != MPI_SUCCESS)
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
                                  mine, newintercomm);
    }
    call_Group_free(&group);
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
    code = call_Comm_split(j->own, 0, key, newintracomm);
    if (code == MPI_SUCCESS)
        inherit_handler(intercomm, *newintracomm);
    return fail(j, code);
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
