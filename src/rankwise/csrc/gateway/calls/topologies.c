#include "topologies.h"
#include "calls.h"
#include "gateway.h"
#include <stddef.h>

const Topology *topology_of(const Joined *j, int kind)
{
    if (j->topology && j->topology->kind == kind)
        return j->topology;
    fail(j, MPI_ERR_TOPOLOGY);
    return NULL;
}

int call_Topo_test(MPI_Comm comm, int *status)
{
    const Joined *j = joined_of(comm);
    if (!j)
        return below.Topo_test(comm, status);
    *status = j->topology ? j->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
