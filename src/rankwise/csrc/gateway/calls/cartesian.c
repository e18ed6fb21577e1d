/* Grids: ranks in row-major order, as in all libraries. They keep the order of the communicator
 * that they are made of. */
#include "calls.h"
#include "topologies.h"
#include <stdlib.h>

/* MPI_PROC_NULL: beyond the border. */
static int rank_at(const Topology *t, const int *coords)
{
    int rank = 0;
    for (int d = 0; d < t->dimensions; d++) {
        int at = coords[d];
        if (t->periods[d])
            at = (at % t->dims[d] + t->dims[d]) % t->dims[d];
        if (at < 0 || at >= t->dims[d])
            return MPI_PROC_NULL;
        rank = rank * t->dims[d] + at;
    }
    return rank;
}

static void coords_of(const Topology *t, int rank, int *coords)
{
    for (int d = t->dimensions - 1; d >= 0; d--) {
        coords[d] = rank % t->dims[d];
        rank /= t->dims[d];
    }
}

/* -1: these are no dimensions. */
static int ranks_in(int ndims, const int dims[])
{
    long ranks = 1;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] <= 0 || ranks * dims[d] > world.ranks)
            return -1;
        ranks *= dims[d];
    }
    return ndims < 0 ? -1 : (int)ranks;
}

static int shifted(const Topology *t, int *coords, int direction, int displacement)
{
    coords[direction] += displacement;
    const int rank = rank_at(t, coords);
    coords[direction] -= displacement;
    return rank;
}

static Topology *new_grid(int ndims, const int dims[], const int periods[], int rank)
{
    Topology *t = new_topology(MPI_CART);
    int *coords = malloc((size_t)ndims * sizeof *coords + 1);
    if (t && coords) {
        t->dimensions = ndims;
        t->in = t->out = 2 * ndims;
        t->dims = copy_of(dims, ndims);
        t->periods = copy_of(periods, ndims);
        t->sources = malloc(2 * (size_t)ndims * sizeof *t->sources + 1);
    }
    if (!t || !coords || !t->dims || !t->periods || !t->sources) {
        free(coords);
        release_topology(t);
        return NULL;
    }
    coords_of(t, rank, coords);
    for (int d = 0; d < ndims; d++) {
        t->sources[2 * d] = shifted(t, coords, d, -1);
        t->sources[2 * d + 1] = shifted(t, coords, d, 1);
    }
    free(coords);
    t->destinations = copy_of(t->sources, 2 * ndims);
    if (t->destinations)
        return t;
    release_topology(t);
    return NULL;
}

/* What has just been split off becomes a grid: the library's own where all of it is in this site.
 */
static int make_grid(MPI_Comm *made, int ndims, const int dims[], const int periods[])
{
    Joined *j = joined_of(*made);
    if (*made == MPI_COMM_NULL)
        return MPI_SUCCESS;
    if (j) {
        j->topology = new_grid(ndims, dims, periods, j->rank);
        return j->topology ? MPI_SUCCESS : fail(j, MPI_ERR_NO_MEM);
    }
    MPI_Comm plain = *made;
    const int code = below.Cart_create(plain, ndims, dims, periods, 0, made);
    below.Comm_free(&plain);
    return code;
}

int call_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                     int reorder, MPI_Comm *comm_cart)
{
    const Joined *j = joined_of(comm_old);
    if (!j)
        return below.Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart);
    if (j->inter)
        return fail(j, MPI_ERR_COMM);
    const int ranks = ranks_in(ndims, dims);
    if (ranks < 0 || ranks > j->size)
        return fail(j, MPI_ERR_DIMS);
    const int code =
        PMPI_Comm_split(comm_old, j->rank < ranks ? 0 : MPI_UNDEFINED, j->rank, comm_cart);
    return code == MPI_SUCCESS ? make_grid(comm_cart, ndims, dims, periods) : code;
}

int call_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_CART) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Cart_sub(comm, remain_dims, newcomm);
    const size_t bytes = (size_t)t->dimensions * sizeof(int) + 1;
    int *coords = malloc(bytes), *dims = malloc(bytes), *periods = malloc(bytes);
    int color = 0, count = 0, code = MPI_ERR_NO_MEM;
    if (coords && dims && periods) {
        coords_of(t, j->rank, coords);
        for (int d = 0; d < t->dimensions; d++) {
            if (!remain_dims[d]) {
                color = color * t->dims[d] + coords[d];
                continue;
            }
            dims[count] = t->dims[d];
            periods[count++] = t->periods[d];
        }
        code = PMPI_Comm_split(comm, color, j->rank, newcomm);
        if (code == MPI_SUCCESS)
            code = make_grid(newcomm, count, dims, periods);
    }
    free(coords);
    free(dims);
    free(periods);
    return code;
}

int call_Cartdim_get(MPI_Comm comm, int *ndims)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_CART) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Cartdim_get(comm, ndims);
    *ndims = t->dimensions;
    return MPI_SUCCESS;
}

int call_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_CART) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Cart_coords(comm, rank, maxdims, coords);
    if (rank < 0 || rank >= j->size)
        return fail(j, MPI_ERR_RANK);
    if (maxdims < t->dimensions)
        return fail(j, MPI_ERR_ARG);
    coords_of(t, rank, coords);
    return MPI_SUCCESS;
}

int call_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_CART) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Cart_get(comm, maxdims, dims, periods, coords);
    for (int d = 0; d < t->dimensions && d < maxdims; d++) {
        dims[d] = t->dims[d];
        periods[d] = t->periods[d];
    }
    return call_Cart_coords(comm, j->rank, maxdims, coords);
}

int call_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_CART) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY : below.Cart_rank(comm, coords, rank);
    *rank = rank_at(t, coords);
    return *rank == MPI_PROC_NULL ? fail(j, MPI_ERR_ARG) : MPI_SUCCESS;
}

int call_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    const Joined *j = joined_of(comm);
    const Topology *t = j ? topology_of(j, MPI_CART) : NULL;
    if (!t)
        return j ? MPI_ERR_TOPOLOGY
                 : below.Cart_shift(comm, direction, disp, rank_source, rank_dest);
    if (direction < 0 || direction >= t->dimensions)
        return fail(j, MPI_ERR_ARG);
    int *coords = malloc((size_t)t->dimensions * sizeof *coords);
    if (!coords)
        return fail(j, MPI_ERR_NO_MEM);
    coords_of(t, j->rank, coords);
    *rank_source = shifted(t, coords, direction, -disp);
    *rank_dest = shifted(t, coords, direction, disp);
    free(coords);
    return MPI_SUCCESS;
}

int call_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    const Joined *j = joined_of(comm);
    if (!j)
        return below.Cart_map(comm, ndims, dims, periods, newrank);
    const int ranks = ranks_in(ndims, dims);
    if (ranks < 0 || ranks > j->size)
        return fail(j, MPI_ERR_DIMS);
    *newrank = j->rank < ranks ? j->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}
