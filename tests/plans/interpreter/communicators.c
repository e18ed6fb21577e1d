/* Communicators, each under its number: who is in it, in which order, is what the plan says. */
#include "plan.h"
#include <stdlib.h>
#include <string.h>

int place_of(const int *members, int size, int rank)
{
    for (int i = 0; i < size; i++)
        if (members[i] == rank)
            return i;
    return -1;
}

/* Parts are written as ranks of MPI_COMM_WORLD, such as 20/13. Returns this rank's part, or -1. */
static int own_part(const char *parts, int members[MAX_RANKS], int *size)
{
    int part = 0;
    for (*size = 0; *parts; parts++) {
        if (*parts != '/') {
            members[(*size)++] = digit(*parts);
            continue;
        }
        if (place_of(members, *size, plan.rank) >= 0)
            return part;
        *size = 0, part++;
    }
    return place_of(members, *size, plan.rank) >= 0 ? part : -1;
}

/* The members as ranks of the communicator that another one is made of. */
static MPI_Group group_of(const Comm *parent, const int *members, int size)
{
    int places[MAX_RANKS];
    MPI_Group all, some;
    for (int i = 0; i < size; i++)
        places[i] = place_of(parent->members, parent->size, members[i]);
    MPI_Comm_group(parent->handle, &all);
    MPI_Group_incl(all, size, places, &some);
    MPI_Group_free(&all);
    memset(places, -1, sizeof places);
    return some;
}

static void look_at(const Comm *comm)
{
    int rank, size, inter, remote = comm->size;
    MPI_Comm_rank(comm->handle, &rank);
    MPI_Comm_size(comm->handle, &size);
    MPI_Comm_test_inter(comm->handle, &inter);
    if (inter)
        MPI_Comm_remote_size(comm->handle, &remote);
    const int right = rank == comm->rank && size == comm->size && !inter == !comm->inter;
    if (!right || remote != comm->remote_size)
        wrong("rank %d of %d and %d, expected %d of %d and %d", rank, size, remote, comm->rank,
              comm->size, comm->remote_size);
}

static void copy_members(Comm *to, const Comm *from)
{
    to->size = from->size, to->remote_size = from->remote_size, to->inter = from->inter;
    memcpy(to->members, from->members, sizeof to->members);
    memcpy(to->remote, from->remote, sizeof to->remote);
}

static void own_remote(Comm *comm)
{
    comm->remote_size = comm->size;
    memcpy(comm->remote, comm->members, sizeof comm->remote);
}

static void among_some(const char *sort, const Comm *parent, Comm *made, int tag)
{
    const int in = place_of(made->members, made->size, plan.rank) >= 0;
    const int color = made->size && in ? made->members[0] : MPI_UNDEFINED;
    MPI_Group some;
    if (!strcmp(sort, "split")) {
        MPI_Comm_split(parent->handle, color,
                       in ? place_of(made->members, made->size, plan.rank) * 3 : 0, &made->handle);
        return;
    }
    some = in ? group_of(parent, made->members, made->size) : MPI_GROUP_EMPTY;
    if (!strcmp(sort, "create"))
        MPI_Comm_create(parent->handle, some, &made->handle);
    else if (in)
        MPI_Comm_create_group(parent->handle, some, tag, &made->handle);
    if (in)
        MPI_Group_free(&some);
}

/* inter N LOCAL PEER PARTS: two parts, each the whole of a local communicator. */
static void between(Comm *made, const Comm *local, const Comm *peer, const char *parts, int tag)
{
    const char *second = strchr(parts, '/') + 1;
    const int part = own_part(parts, made->members, &made->size);
    const char *others = part ? parts : second;
    if (part < 0)
        return;
    for (made->remote_size = 0; *others && *others != '/'; others++)
        made->remote[made->remote_size++] = digit(*others);
    made->inter = 1;
    MPI_Intercomm_create(local->handle, 0, peer->handle,
                         place_of(peer->members, peer->size, made->remote[0]), tag, &made->handle);
}

static void merge(Comm *made, const Comm *inter, const char *parts)
{
    const int high = digit(parts[0]) != inter->members[0];
    for (const char *c = parts; *c; c++)
        if (*c != '/')
            made->members[made->size++] = digit(*c);
    MPI_Intercomm_merge(inter->handle, high, &made->handle);
}

/* comm N dup|idup|split|create|group|inter|merge PARENT [PEER] [PARTS] */
void make_communicator(const Step *step)
{
    const int number = atoi(step->word[1]);
    const char *sort = step->word[2];
    Comm made = {.handle = MPI_COMM_NULL, .live = 1}, *parent = &plan.comms[atoi(step->word[3])];
    if (!parent->live)
        return;
    if (!strcmp(sort, "dup") || !strcmp(sort, "idup")) {
        copy_members(&made, parent);
        made.rank = parent->rank;
        plan.comms[number] = made;
        if (!strcmp(sort, "dup")) {
            MPI_Comm_dup(parent->handle, &plan.comms[number].handle);
            return;
        }
        Operation *op = &plan.operations[atoi(step->word[4])];
        *op = (Operation){.sort = COPY, .step = step, .comm = &plan.comms[number], .active = 1};
        MPI_Comm_idup(parent->handle, &plan.comms[number].handle, &op->request);
        return;
    }
    if (!strcmp(sort, "inter"))
        between(&made, parent, &plan.comms[atoi(step->word[4])], step->word[5], number);
    else if (!strcmp(sort, "merge"))
        merge(&made, parent, step->word[4]);
    else {
        own_part(step->word[4], made.members, &made.size);
        among_some(sort, parent, &made, number);
    }
    made.rank = place_of(made.members, made.size, plan.rank);
    if (!made.inter)
        own_remote(&made);
    if (made.rank < 0) {
        if (made.handle != MPI_COMM_NULL)
            wrong("a communicator without this rank, expected MPI_COMM_NULL");
        return;
    }
    plan.comms[number] = made;
    look_at(&made);
}

void free_communicator(int number)
{
    Comm *comm = &plan.comms[number];
    if (comm->live)
        MPI_Comm_free(&comm->handle);
    comm->live = 0;
}

void free_communicators(void)
{
    for (int i = 0; i < MAX_COMMS; i++)
        free_communicator(i);
}
