/* Graphs of which each rank knows its own edges. */
#include "calls.h"
#include "topologies.h"
#include <stdlib.h>

typedef struct {
    int from, to, weight;
} Edge;
enum { EDGE_INTS = sizeof(Edge) / sizeof(int) };

static bool are_ranks(const Joined *j, int count, const int ranks[])
{
    for (int i = 0; i < count; i++)
        if (ranks[i] < 0 || ranks[i] >= j->size)
            return false;
    return count >= 0;
}

static bool are_there(const int *weights)
{
    return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}

static bool is_whole(const Topology *t)
{
    return t && t->sources && t->destinations && t->in_weights && t->out_weights;
}

/* The same ranks with this topology, which it keeps or releases. */
static int with_topology(Joined *old, Topology *t, MPI_Comm *made)
{
    const bool whole = is_whole(t);
    int code = PMPI_Comm_split(old->local, 0, old->rank, made); /* a dup would copy attributes */
    if (code == MPI_SUCCESS && !whole)
        code = fail(old, MPI_ERR_NO_MEM);
    if (code == MPI_SUCCESS)
        joined_of(*made)->topology = t;
    else
        release_topology(t);
    return code;
}

int call_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                    const int *sourceweights, int outdegree,
                                    const int destinations[], const int *destweights, MPI_Info info,
                                    int reorder, MPI_Comm *comm_dist_graph)
{
    Joined *j = joined_of(comm_old);
    if (!j || j->here)
        return below.Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights,
                                                outdegree, destinations, destweights, info, reorder,
                                                comm_dist_graph);
    if (j->inter)
        return fail(j, MPI_ERR_COMM);
    if (!are_ranks(j, indegree, sources) || !are_ranks(j, outdegree, destinations))
        return fail(j, MPI_ERR_RANK);
    if ((indegree && sourceweights == MPI_WEIGHTS_EMPTY) ||
        (outdegree && destweights == MPI_WEIGHTS_EMPTY))
        return fail(j, MPI_ERR_ARG);
    Topology *t = new_topology(MPI_DIST_GRAPH);
    if (t) {
        t->in = indegree;
        t->out = outdegree;
        t->weighted = sourceweights != MPI_UNWEIGHTED;
        t->sources = copy_of(sources, indegree);
        t->destinations = copy_of(destinations, outdegree);
        t->in_weights = copy_of(sourceweights, are_there(sourceweights) ? indegree : 0);
        t->out_weights = copy_of(destweights, are_there(destweights) ? outdegree : 0);
    }
    return with_topology(j, t, comm_dist_graph);
}

/* All edges that any rank has named, in the order of these ranks. NULL: there is no memory. */
static Edge *all_edges(const Joined *j, const Edge *mine, int count, int *total)
{
    const int ints = count * EDGE_INTS;
    int *sizes = malloc(2 * (size_t)j->size * sizeof *sizes);
    Edge *all = NULL;
    if (!sizes || PMPI_Allgather(&ints, 1, MPI_INT, sizes, 1, MPI_INT, j->own) != MPI_SUCCESS) {
        free(sizes);
        return NULL;
    }
    int *const starts = sizes + j->size;
    *total = 0;
    for (int r = 0; r < j->size; r++) {
        starts[r] = *total;
        *total += sizes[r];
    }
    all = malloc((size_t)*total * sizeof(int) + 1);
    if (all && PMPI_Allgatherv(mine, ints, MPI_INT, all, sizes, starts, MPI_INT, j->own)) {
        free(all);
        all = NULL;
    }
    *total /= EDGE_INTS;
    free(sizes);
    return all;
}

/* Those that begin or end at this rank. */
static void pick(Topology *t, const Edge *all, int total, int rank)
{
    const size_t bytes = (size_t)total * sizeof(int) + 1;
    t->sources = malloc(bytes);
    t->in_weights = malloc(bytes);
    t->destinations = malloc(bytes);
    t->out_weights = malloc(bytes);
    for (int e = 0; e < total && is_whole(t); e++) {
        if (all[e].to == rank) {
            t->sources[t->in] = all[e].from;
            t->in_weights[t->in++] = all[e].weight;
        }
        if (all[e].from == rank) {
            t->destinations[t->out] = all[e].to;
            t->out_weights[t->out++] = all[e].weight;
        }
    }
}

int call_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                           const int destinations[], const int *weights, MPI_Info info, int reorder,
                           MPI_Comm *comm_dist_graph)
{
    Joined *j = joined_of(comm_old);
    int count = 0, total = 0;
    if (!j || j->here)
        return below.Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info,
                                       reorder, comm_dist_graph);
    if (j->inter)
        return fail(j, MPI_ERR_COMM);
    for (int i = 0; i < n; i++)
        count += degrees[i];
    if (!are_ranks(j, n, sources) || !are_ranks(j, count, destinations))
        return fail(j, MPI_ERR_RANK);
    Edge *mine = malloc((size_t)count * sizeof *mine + 1);
    for (int i = 0, e = 0; mine && i < n; i++)
        for (int k = 0; k < degrees[i]; k++, e++)
            mine[e] = (Edge){sources[i], destinations[e], are_there(weights) ? weights[e] : 1};
    Edge *all = mine ? all_edges(j, mine, count, &total) : NULL;
    Topology *t = all ? new_topology(MPI_DIST_GRAPH) : NULL;
    if (t) {
        t->weighted = weights != MPI_UNWEIGHTED;
        pick(t, all, total, j->rank);
    }
    free(mine);
    free(all);
    return with_topology(j, t, comm_dist_graph);
}

int call_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_DIST_GRAPH) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY
                 : below.Dist_graph_neighbors_count(comm, indegree, outdegree, weighted);
    *indegree = t->in;
    *outdegree = t->out;
    *weighted = t->weighted;
    return MPI_SUCCESS;
}

static void tell(int most, const int *from, int count, int *to, bool asked)
{
    for (int i = 0; i < count && i < most && asked; i++)
        to[i] = from[i];
}

int call_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int *sourceweights,
                              int maxoutdegree, int destinations[], int *destweights)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_DIST_GRAPH) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY
                 : below.Dist_graph_neighbors(comm, maxindegree, sources, sourceweights,
                                              maxoutdegree, destinations, destweights);
    tell(maxindegree, t->sources, t->in, sources, true);
    tell(maxindegree, t->in_weights, t->in, sourceweights, t->weighted && are_there(sourceweights));
    tell(maxoutdegree, t->destinations, t->out, destinations, true);
    tell(maxoutdegree, t->out_weights, t->out, destweights, t->weighted && are_there(destweights));
    return MPI_SUCCESS;
}
