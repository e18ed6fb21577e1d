/* Graphs that every rank knows all of. */
#include "calls.h"
#include "topologies.h"
#include <stdlib.h>

static int first_edge(const int index[], int node)
{
    return node ? index[node - 1] : 0;
}

static bool is_graph(int nodes, const int index[], const int edges[])
{
    for (int i = 0; i < nodes; i++)
        if (index[i] < first_edge(index, i))
            return false;
    for (int e = 0; nodes && e < index[nodes - 1]; e++)
        if (edges[e] < 0 || edges[e] >= nodes)
            return false;
    return nodes >= 0;
}

static Topology *new_graph(int nodes, const int index[], const int edges[], int rank)
{
    Topology *t = new_topology(MPI_GRAPH);
    const int first = first_edge(index, rank), count = index[rank] - first;
    if (!t)
        return NULL;
    t->nodes = nodes;
    t->in = t->out = count;
    t->index = copy_of(index, nodes);
    t->edges = copy_of(edges, index[nodes - 1]);
    t->sources = copy_of(edges + first, count);
    t->destinations = copy_of(edges + first, count);
    if (t->index && t->edges && t->sources && t->destinations)
        return t;
    release_topology(t);
    return NULL;
}

int call_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
                      int reorder, MPI_Comm *comm_graph)
{
    Joined *old = joined_of(comm_old);
    if (!old)
        return below.Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph);
    if (old->inter)
        return fail(old, MPI_ERR_COMM);
    if (nnodes > old->size || !is_graph(nnodes, indx, edges))
        return fail(old, MPI_ERR_ARG);
    const int color = old->rank < nnodes ? 0 : MPI_UNDEFINED;
    int code = PMPI_Comm_split(comm_old, color, old->rank, comm_graph);
    Joined *j = joined_of(*comm_graph);
    if (code != MPI_SUCCESS || *comm_graph == MPI_COMM_NULL)
        return code;
    if (j) {
        j->topology = new_graph(nnodes, indx, edges, j->rank);
        return j->topology ? MPI_SUCCESS : fail(j, MPI_ERR_NO_MEM);
    }
    MPI_Comm plain = *comm_graph; /* all of it is in this site */
    code = below.Graph_create(plain, nnodes, indx, edges, 0, comm_graph);
    below.Comm_free(&plain);
    return code;
}

int call_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_GRAPH) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Graphdims_get(comm, nnodes, nedges);
    *nnodes = t->nodes;
    *nedges = t->index[t->nodes - 1];
    return MPI_SUCCESS;
}

int call_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_GRAPH) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Graph_get(comm, maxindex, maxedges, indx, edges);
    for (int i = 0; i < t->nodes && i < maxindex; i++)
        indx[i] = t->index[i];
    for (int e = 0; e < t->index[t->nodes - 1] && e < maxedges; e++)
        edges[e] = t->edges[e];
    return MPI_SUCCESS;
}

int call_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_GRAPH) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Graph_neighbors_count(comm, rank, nneighbors);
    if (rank < 0 || rank >= t->nodes)
        return fail(j, MPI_ERR_RANK);
    *nneighbors = t->index[rank] - first_edge(t->index, rank);
    return MPI_SUCCESS;
}

int call_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_GRAPH) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Graph_neighbors(comm, rank, maxneighbors, neighbors);
    if (rank < 0 || rank >= t->nodes)
        return fail(j, MPI_ERR_RANK);
    const int first = first_edge(t->index, rank);
    for (int i = 0; i < t->index[rank] - first && i < maxneighbors; i++)
        neighbors[i] = t->edges[first + i];
    return MPI_SUCCESS;
}

int call_Graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int *newrank)
{
    const Joined *j = joined_of(comm);
    if (!j)
        return below.Graph_map(comm, nnodes, indx, edges, newrank);
    if (nnodes > j->size || !is_graph(nnodes, indx, edges))
        return fail(j, MPI_ERR_ARG);
    *newrank = j->rank < nnodes ? j->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
