#include "communicators.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_LIVE = 4096 };

typedef struct {
    uint64_t hash;
    int ordinal; /* among those of this group */
    bool live;
} Group;

static struct {
    State *s;
    Known live[MOST_LIVE];
    int live_count, last;
    Group *groups;
    int group_count, group_room;
    MPI_Group world;
} g;

static const Known nobody = {.number = -1, .rank = -1};

bool prepare_communicators(State *state)
{
    g.s = state;
    g.live_count = 0;
    g.last = -1;
    g.group_room = 64;
    g.groups = calloc((size_t)g.group_room, sizeof *g.groups);
    return g.groups && PMPI_Comm_group(MPI_COMM_WORLD, &g.world) == MPI_SUCCESS;
}

/* The group's members as ranks of MPI_COMM_WORLD, -1 for others; NULL: no memory. */
static int *members(MPI_Group group, int *size)
{
    PMPI_Group_size(group, size);
    int *own = malloc((size_t)(*size + 1) * 2 * sizeof *own);
    if (!own)
        return NULL;
    int *const world = own + *size + 1;
    for (int i = 0; i < *size; i++)
        own[i] = i;
    PMPI_Group_translate_ranks(group, *size, own, g.world, world);
    for (int i = 0; i < *size; i++)
        own[i] = world[i] == MPI_UNDEFINED ? -1 : world[i];
    return own;
}

static uint64_t digest(uint64_t hash, const int *ranks, int size)
{
    for (int i = 0; i < size; i++)
        hash = (hash ^ (uint64_t)(unsigned)ranks[i] ^ hash >> 31) * 0x9E3779B97F4A7C15u;
    return hash ^ (uint64_t)size;
}

/* One record may fill a block of its own: a communicator of a hundred thousand ranks does. */
static void write_definition(int number, int ordinal, bool inter, const int *own, int size,
                             const int *remote, int remote_size)
{
    const size_t most = (size_t)NUMBER_BYTES * (size_t)(size + remote_size + 6);
    unsigned char *begin = malloc(most), *at = begin;
    if (!begin)
        return;
    *at++ = 'C';
    at = put_number(at, (uint64_t)number);
    at = put_number(at, (uint64_t)ordinal);
    at = put_number(at, inter);
    at = put_number(at, (uint64_t)size);
    for (int i = 0, before = -1; i < size; before = own[i++])
        at = put_number(at, zigzag((int64_t)own[i] - before - 1));
    if (inter) {
        at = put_number(at, (uint64_t)remote_size);
        for (int i = 0, before = -1; i < remote_size; before = remote[i++])
            at = put_number(at, zigzag((int64_t)remote[i] - before - 1));
    }
    const size_t bytes = (size_t)(at - begin);
    if (g.s->definition_bytes + bytes > DEFINITION_ROOM / 2)
        flush_definitions();
    if (bytes <= DEFINITION_ROOM / 2 && g.s->definition_bytes + bytes <= DEFINITION_ROOM) {
        memcpy(g.s->definitions + g.s->definition_bytes, begin, bytes);
        g.s->definition_bytes += (uint32_t)bytes;
    } else {
        write_block('D', begin, bytes);
    }
    free(begin);
}

/* The number of this group's first communicator that does not live, a new one if all do. */
static int number_of(uint64_t hash, int *ordinal)
{
    *ordinal = 0;
    for (int i = 0; i < g.group_count; i++) {
        Group *group = &g.groups[i];
        if (group->hash != hash)
            continue;
        if (!group->live) {
            group->live = true;
            *ordinal = -1;
            return i;
        }
        (*ordinal)++;
    }
    if (g.group_count == g.group_room) {
        Group *more = realloc(g.groups, 2 * (size_t)g.group_room * sizeof *more);
        if (!more)
            return -1;
        g.groups = more;
        g.group_room *= 2;
    }
    g.groups[g.group_count] = (Group){hash, *ordinal, true};
    return g.group_count++;
}

static Known define(MPI_Comm comm)
{
    Known found = {.comm = comm};
    MPI_Group own_group, remote_group = MPI_GROUP_NULL;
    int inter = 0, ordinal, size, remote_size = 0;
    PMPI_Comm_rank(comm, &found.rank);
    PMPI_Comm_test_inter(comm, &inter);
    found.inter = inter;
    PMPI_Comm_group(comm, &own_group);
    int *own = members(own_group, &size), *remote = NULL;
    PMPI_Group_free(&own_group);
    if (inter) {
        PMPI_Comm_remote_group(comm, &remote_group);
        remote = members(remote_group, &remote_size);
        PMPI_Group_free(&remote_group);
    }
    found.size = inter ? remote_size : size;
    found.number = -1;
    if (own && (remote || !inter)) {
        const uint64_t hash = digest(digest((uint64_t)inter, own, size), remote, remote_size);
        found.number = number_of(hash, &ordinal);
        if (found.number >= 0 && ordinal >= 0)
            write_definition(found.number, ordinal, found.inter, own, size, remote, remote_size);
    }
    free(own);
    free(remote);
    return found;
}

const Known *known(MPI_Comm comm)
{
    if (g.last >= 0 && g.live[g.last].comm == comm)
        return &g.live[g.last];
    if (comm == MPI_COMM_NULL)
        return &nobody;
    for (int i = 0; i < g.live_count; i++)
        if (g.live[i].comm == comm) {
            g.last = i;
            return &g.live[i];
        }
    if (g.live_count == MOST_LIVE)
        return &nobody;
    g.live[g.live_count] = define(comm);
    g.last = g.live_count++;
    return &g.live[g.last];
}

void forget(MPI_Comm comm)
{
    for (int i = 0; i < g.live_count; i++)
        if (g.live[i].comm == comm) {
            if (g.live[i].number >= 0)
                g.groups[g.live[i].number].live = false;
            g.live[i] = g.live[--g.live_count];
            g.last = -1;
            return;
        }
}
