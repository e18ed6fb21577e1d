#include "communicator.h"
#include "../schedules/own_network.h"
#include "../schedules/sites.h"
#include "measured_network.h"
#include "passing.h"
#include "settings.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_ROOM = 256 };

static int key = MPI_KEYVAL_INVALID;

void hold_communicator(Communicator *c)
{
    __atomic_add_fetch(&c->holders, 1, __ATOMIC_ACQ_REL);
}

void release_communicator(Communicator *c)
{
    if (__atomic_sub_fetch(&c->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (c->own != MPI_COMM_NULL)
        PMPI_Comm_free(&c->own);
    forget_schedules(&c->schedules);
    free_network(c->network);
    free(c);
}

static int end_communicator(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)state;
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
    release_communicator(value);
    return MPI_SUCCESS;
}

bool prepare_communicators(void)
{
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_communicator, &key, NULL) ==
           MPI_SUCCESS;
}

/* The communicator's hosts, and so its sites: collective over `comm`. */
static Network *network_of(MPI_Comm comm, int ranks)
{
    char name[HOST_ROOM] = {0};
    gethostname(name, sizeof name - 1);
    char *names = malloc((size_t)ranks * HOST_ROOM);
    const char **hosts = malloc((size_t)ranks * sizeof *hosts);
    Network *network = NULL;
    if (names && hosts &&
        PMPI_Allgather(name, HOST_ROOM, MPI_CHAR, names, HOST_ROOM, MPI_CHAR, comm) ==
            MPI_SUCCESS) {
        for (int r = 0; r < ranks; r++)
            hosts[r] = names + (size_t)r * HOST_ROOM;
        network = settings()->has_network ? described_network(hosts, ranks)
                                          : measured_network(comm, hosts, ranks);
    }
    free(hosts);
    free(names);
    return network;
}

static Communicator *new_communicator(MPI_Comm comm)
{
    int between = 0;
    Communicator *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->holders = 1;
    c->own = MPI_COMM_NULL;
    PMPI_Comm_test_inter(comm, &between);
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->ranks);
    c->passes = between != 0;
    if (!c->passes && (settings()->has_network ||
                       (settings()->measures && asks_for_sites(&settings()->table, c->ranks))))
        c->network = network_of(comm, c->ranks);
    if (c->network)
        sort_network(c->network);
    const int sites = c->network ? c->network->sites : 1;
    for (int o = 0; !c->passes && o < OPERATIONS; o++)
        if (could_replace(&settings()->table, (Operation)o, c->ranks, sites))
            c->replaces |= 1U << o;
    if (PMPI_Comm_set_attr(comm, key, c) != MPI_SUCCESS) {
        free_network(c->network);
        free(c);
        return NULL;
    }
    return c;
}

Communicator *communicator_of(MPI_Comm comm, bool may_wait)
{
    const unsigned now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    Recent *known = recent_place(comm);
    if (known->generation == now && known->comm == comm)
        return known->communicator;
    if (comm == MPI_COMM_NULL)
        return NULL;
    void *value = NULL;
    int there = 0;
    if (PMPI_Comm_get_attr(comm, key, &value, &there) != MPI_SUCCESS)
        return NULL;
    Communicator *c = there ? value : may_wait ? new_communicator(comm) : NULL;
    if (c)
        *known = (Recent){comm, now, c->replaces, c};
    return c;
}

bool own_messages(Communicator *c, MPI_Comm comm)
{
    if (c->own != MPI_COMM_NULL)
        return true;
    /* MPI_Comm_dup would copy the program's attributes, by its own functions. */
    if (PMPI_Comm_split(comm, 0, c->rank, &c->own) != MPI_SUCCESS) {
        c->own = MPI_COMM_NULL;
        c->passes = true;
        return false;
    }
    PMPI_Comm_set_errhandler(c->own, MPI_ERRORS_RETURN);
    int *bound = NULL, there = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &there);
    c->tag_bound = there ? *bound : SHRT_MAX;
    return true;
}

int tags_of_call(const Communicator *c)
{
    return (int)((c->tag_bound + 1) / CALLS_APART);
}

int place_of_next_call(Communicator *c)
{
    return (int)(c->calls++ % CALLS_APART);
}
