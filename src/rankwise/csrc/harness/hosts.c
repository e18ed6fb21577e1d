/* On which host each rank is. */
#define _GNU_SOURCE
#include "harness.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST_BYTES = 256 };

static char *hosts; /* shape (ranks, HOST_BYTES) */

void gather_hosts(void)
{
    char mine[HOST_BYTES] = "";
    gethostname(mine, sizeof mine - 1);
    hosts = malloc((size_t)world.ranks * HOST_BYTES);
    MPI_Allgather(mine, HOST_BYTES, MPI_BYTE, hosts, HOST_BYTES, MPI_BYTE, world.comm);
}

const char *host_of(int rank)
{
    return hosts + (size_t)rank * HOST_BYTES;
}

int ranks_on_host(void)
{
    int here = 0;
    for (int rank = 0; rank < world.ranks; rank++)
        here += strcmp(host_of(rank), host_of(world.rank)) == 0;
    return here;
}
