/* Grids, graphs and what is exchanged in them, by ranks of several sites; calls that are begun
 * again and again. */
#include "traps.h"

static int rank, ranks;

/* Each rank's place, and whom it meets on either side. */
static void check_grid(MPI_Comm grid, const int *dims, int periodic)
{
    int me, coords[2], back, from, to, kind, got_dims[2], got_periods[2], count;
    MPI_Comm_rank(grid, &me);
    MPI_Topo_test(grid, &kind);
    MPI_Cartdim_get(grid, &count);
    MPI_Cart_get(grid, 2, got_dims, got_periods, coords);
    CHECK(kind == MPI_CART && count == 2);
    CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1] && !got_periods[0] == !periodic);
    MPI_Cart_rank(grid, coords, &back);
    CHECK(back == me && coords[0] * dims[1] + coords[1] == me);
    for (int d = 0; d < 2; d++) {
        int got = -1, at = coords[d];
        MPI_Cart_shift(grid, d, 1, &from, &to);
        CHECK((from == MPI_PROC_NULL) == (!periodic && at == 0));
        CHECK((to == MPI_PROC_NULL) == (!periodic && at == dims[d] - 1));
        MPI_Sendrecv(&at, 1, MPI_INT, to, 1, &got, 1, MPI_INT, from, 1, grid, MPI_STATUS_IGNORE);
        CHECK(got == (from == MPI_PROC_NULL ? -1 : (at + dims[d] - 1) % dims[d]));
    }
}

/* What goes to one side comes from the other one, though both may be the same rank. */
static void check_sides(MPI_Comm grid, int periodic)
{
    int me, out[4], in[4] = {-1, -1, -1, -1}, all[4] = {-1, -1, -1, -1}, from, to, bad = 0;
    MPI_Request request;
    MPI_Comm_rank(grid, &me);
    for (int i = 0; i < 4; i++)
        out[i] = me * 10 + i;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    MPI_Ineighbor_allgather(&me, 1, MPI_INT, all, 1, MPI_INT, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int d = 0; d < 2; d++) {
        MPI_Cart_shift(grid, d, 1, &from, &to);
        bad += in[2 * d] != (from == MPI_PROC_NULL ? -1 : from * 10 + 2 * d + 1);
        bad += in[2 * d + 1] != (to == MPI_PROC_NULL ? -1 : to * 10 + 2 * d);
        bad += all[2 * d] != (from == MPI_PROC_NULL ? -1 : from);
        bad += periodic && (from < 0 || to < 0);
    }
    CHECK(!bad);
}

static void check_grids(void)
{
    int dims[2] = {0, 0}, keep[2] = {0, 1}, size, sum, code, most;
    MPI_Comm grid, twin, row, small;
    MPI_Dims_create(ranks, 2, dims);
    for (int periodic = 0; periodic < 2; periodic++) {
        const int periods[2] = {periodic, periodic};
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
        check_grid(grid, dims, periodic);
        check_sides(grid, periodic);
        MPI_Comm_dup(grid, &twin);
        check_grid(twin, dims, periodic);
        MPI_Cart_sub(twin, keep, &row); /* some of these in one site, some not */
        MPI_Comm_size(row, &size);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row);
        CHECK(size == dims[1]);
        CHECK(sum == rank / size * size * size + size * (size - 1) / 2);
        MPI_Comm_free(&row), MPI_Comm_free(&twin), MPI_Comm_free(&grid);
    }
    for (most = 1; most <= ranks; most++) { /* the smallest are in one site */
        const int all[2] = {most, 1}, open[2] = {0, 0};
        MPI_Cart_create(MPI_COMM_WORLD, 2, all, open, 0, &small);
        CHECK((small == MPI_COMM_NULL) == (rank >= most));
        if (small == MPI_COMM_NULL)
            continue;
        check_grid(small, all, 0);
        MPI_Comm_free(&small);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    dims[0] = ranks + 1;
    code = MPI_Cart_create(MPI_COMM_WORLD, 1, dims, dims, 0, &grid);
    CHECK(class_of(code) == MPI_ERR_DIMS);
    CHECK(class_of(MPI_Cartdim_get(MPI_COMM_WORLD, &size)) == MPI_ERR_TOPOLOGY);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A ring whose edges are known to all, and one whose edges each rank names of the next one. */
static void check_graphs(void)
{
    int *index = malloc((size_t)ranks * sizeof *index);
    int *edges = malloc(2 * (size_t)ranks * sizeof *edges);
    int near[2], got[2] = {-1, -1}, count, nodes, in, out, weighted, kind;
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, after = (rank + 2) % ranks;
    int degree = 1, weight = 10 + rank, source, destination, weights[2];
    MPI_Comm graph, ring;
    for (int r = 0; r < ranks; r++) {
        index[r] = 2 * (r + 1);
        edges[2 * r] = (r + ranks - 1) % ranks;
        edges[2 * r + 1] = (r + 1) % ranks;
    }
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &graph);
    MPI_Graphdims_get(graph, &nodes, &count);
    CHECK(nodes == ranks && count == 2 * ranks);
    MPI_Graph_neighbors_count(graph, from, &count);
    MPI_Graph_neighbors(graph, from, 2, near);
    CHECK(count == 2 && near[1] == rank);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
    CHECK(got[0] == from && got[1] == to);
    MPI_Dist_graph_create(graph, 1, &to, &degree, &after, &weight, MPI_INFO_NULL, 0, &ring);
    MPI_Topo_test(ring, &kind);
    MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(ring, 1, &source, &weights[0], 1, &destination, &weights[1]);
    CHECK(kind == MPI_DIST_GRAPH && in == 1 && out == 1 && weighted);
    CHECK(source == from && destination == to && weights[1] == 10 + from);
    MPI_Neighbor_alltoall(&rank, 1, MPI_INT, got, 1, MPI_INT, ring);
    CHECK(got[0] == from);
    MPI_Comm_free(&ring), MPI_Comm_free(&graph);
    free(index), free(edges);
}

/* A message out and one in, and what goes to all ranks, without waiting for it. */
static void check_without_waiting(void)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    int got = -1, both = rank, ended = 0, bad = 0, ones[64], starts[64], out[64], in[64];
    MPI_Datatype types[64];
    MPI_Request requests[3];
    MPI_Status status;
    for (int r = 0; r < ranks; r++) {
        ones[r] = 1, starts[r] = r * (int)sizeof(int), types[r] = MPI_INT;
        out[r] = rank * 100 + r;
    }
    MPI_Isendrecv(&rank, 1, MPI_INT, to, 2, &got, 1, MPI_INT, from, 2, MPI_COMM_WORLD, requests);
    MPI_Isendrecv_replace(&both, 1, MPI_INT, to, 3, from, 3, MPI_COMM_WORLD, requests + 1);
    MPI_Ialltoallw(out, ones, starts, types, in, ones, starts, types, MPI_COMM_WORLD, requests + 2);
    while (!ended)
        MPI_Test(&requests[1], &ended, &status);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == 3 && both == from);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int r = 0; r < ranks; r++)
        bad += in[r] != r * 100 + rank;
    CHECK(got == from && !bad);
    MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, ones, starts, types, MPI_COMM_WORLD,
                   requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    for (int r = 0; r < ranks; r++)
        bad += in[r] != out[r];
    CHECK(!bad);
}

/* The program may drop its counts once the request is there. */
static void check_again_and_again(void)
{
    int *counts = malloc((size_t)ranks * sizeof *counts);
    int *starts = malloc((size_t)ranks * sizeof *starts);
    int *all = malloc((size_t)ranks * sizeof *all), own, sum;
    MPI_Request requests[2];
    for (int r = 0; r < ranks; r++)
        counts[r] = 1, starts[r] = ranks - 1 - r;
    MPI_Allgatherv_init(&own, 1, MPI_INT, all, counts, starts, MPI_INT, MPI_COMM_WORLD,
                        MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[1]);
    memset(counts, 0, (size_t)ranks * sizeof *counts);
    free(counts), free(starts);
    for (int i = 0; i < 3; i++) {
        own = rank + i;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(sum == ranks * (ranks - 1) / 2 + i * ranks);
        CHECK(all[0] == ranks - 1 + i && all[ranks - 1] == i);
    }
    MPI_Request_free(&requests[0]), MPI_Request_free(&requests[1]);
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_grids();
    check_graphs();
    check_without_waiting();
    check_again_and_again();
    report();
    MPI_Finalize();
    return 0;
}
