#include "peers.h"

long own_size(MPI_Comm comm)
{
    int ranks = 0;
    return PMPI_Comm_size(comm, &ranks) == MPI_SUCCESS ? ranks : 0;
}

static bool is_inter(MPI_Comm comm)
{
    int inter = 0;
    return PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter;
}

long peers(MPI_Comm comm)
{
    int ranks = 0;
    if (is_inter(comm))
        PMPI_Comm_remote_size(comm, &ranks);
    else
        PMPI_Comm_size(comm, &ranks);
    return ranks;
}

long neighbours(MPI_Comm comm, bool receiving)
{
    int topology = MPI_UNDEFINED, rank = 0, count = 0;
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        PMPI_Cartdim_get(comm, &count);
        return 2L * count;
    }
    if (topology == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &count);
        return count;
    }
#ifdef KNOWS_Dist_graph_neighbors_count
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    return receiving ? in : out;
#else
    (void)receiving;
    return 0;
#endif
}

bool is_root(int root, MPI_Comm comm)
{
    int rank = MPI_PROC_NULL;
    if (is_inter(comm))
        return root == ABI_ROOT;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}
