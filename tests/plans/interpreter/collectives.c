/* Collective operations: who gives which blocks, who gets which, and the calls in their three
 * forms. coll Q C NAME b|i|p ROOT SIGNATURE LAYOUTS N COUNTS|- OPERATOR|- FLAGS
 */
#include "plan.h"
#include <stdlib.h>
#include <string.h>

enum { ROOT = 5, LETTERS, LAYOUTS, UNITS, COUNTS, OPERATOR, FLAGS };

typedef enum { NONE, ONE, EACH } Blocks; /* a block, or one for each process */

typedef struct {
    const char *name;
    Blocks out, in;
    int rooted; /* 1: the root gives, -1: it gets */
    int reduces, counted;
} Shape;

static const Shape shapes[] = {
    {"barrier", NONE, NONE, 0, 0, 0},
    {"bcast", ONE, ONE, 1, 0, 0},
    {"gather", ONE, EACH, -1, 0, 0},
    {"gatherv", ONE, EACH, -1, 0, 1},
    {"scatter", EACH, ONE, 1, 0, 0},
    {"scatterv", EACH, ONE, 1, 0, 1},
    {"allgather", ONE, EACH, 0, 0, 0},
    {"allgatherv", ONE, EACH, 0, 0, 1},
    {"alltoall", EACH, EACH, 0, 0, 0},
    {"alltoallv", EACH, EACH, 0, 0, 1},
    {"alltoallw", EACH, EACH, 0, 0, 1},
    {"reduce", ONE, ONE, -1, 1, 0},
    {"allreduce", ONE, ONE, 0, 1, 0},
    {"reduce_scatter", EACH, ONE, 0, 1, 1},
    {"reduce_scatter_block", EACH, ONE, 0, 1, 0},
    {"scan", ONE, ONE, 0, 1, 0},
    {"exscan", ONE, ONE, 0, 1, 0},
};

static const Shape *shape_of(const Operation *op)
{
    int i = 0;
    while (strcmp(shapes[i].name, op->step->word[3]) != 0)
        i++;
    return &shapes[i];
}

static int named(const Operation *op, const char *name)
{
    return !strcmp(op->step->word[3], name);
}

/* In an intercommunicator the root is a rank of MPI_COMM_WORLD, and those of the other group are
 * its leaves. */
static int is_root(const Operation *op)
{
    const int root = atoi(op->step->word[ROOT]);
    return op->comm->inter ? root == plan.rank : root % op->comm->size == op->comm->rank;
}

static int is_leaf(const Operation *op)
{
    const Comm *comm = op->comm;
    return !comm->inter ||
           place_of(comm->remote, comm->remote_size, atoi(op->step->word[ROOT])) >= 0;
}

static int root_of(const Operation *op)
{
    const Comm *comm = op->comm;
    const int root = atoi(op->step->word[ROOT]);
    if (!comm->inter)
        return root % comm->size;
    const int place = place_of(comm->remote, comm->remote_size, root);
    return place >= 0 ? place : root == plan.rank ? MPI_ROOT : MPI_PROC_NULL;
}

static int gives(const Operation *op)
{
    const int rooted = shape_of(op)->rooted;
    return rooted == 0 || (rooted > 0 ? is_root(op) : is_leaf(op));
}

static int gets(const Operation *op)
{
    const int rooted = shape_of(op)->rooted;
    return rooted == 0 || (rooted < 0 ? is_root(op) : is_leaf(op));
}

/* Units of the block that goes from one process to another one. */
static int units_between(const Operation *op, int from, int to)
{
    const Shape *shape = shape_of(op);
    const char *counts = op->step->word[COUNTS];
    const int units = atoi(op->step->word[UNITS]);
    int several = 1, which = shape->out == ONE ? from : shape->in == ONE ? to : from + to;
    if (!shape->counted)
        return units;
    for (const char *c = counts; *c; c++)
        several += *c == ',';
    for (which %= several; which; which--)
        counts = strchr(counts, ',') + 1;
    return units * atoi(counts);
}

/* This rank's blocks, in units; those of a v-operation are apart. */
typedef struct {
    int counts[MAX_RANKS], places[MAX_RANKS], blocks, units;
} Parts;

static Parts parts_of(const Operation *op, int out)
{
    const Shape *shape = shape_of(op);
    const Comm *comm = op->comm;
    const Blocks blocks = out ? shape->out : shape->in;
    const int each = blocks == EACH;
    Parts parts = {.units = 0};
    parts.blocks = blocks == NONE || !(out ? gives(op) : gets(op)) ? 0
                   : each                                          ? comm->remote_size
                                                                   : 1;
    for (int i = 0; i < parts.blocks; i++) {
        const int other = each ? i : comm->rank;
        parts.counts[i] =
            out ? units_between(op, comm->rank, other) : units_between(op, other, comm->rank);
        parts.places[i] = parts.units;
        parts.units += parts.counts[i];
        if (each && shape->counted && !shape->reduces)
            parts.units += atoi(op->step->word[UNITS]);
    }
    return parts;
}

static Source from_to(const Operation *op, int from, int to)
{
    return (Source){.operation = atoi(op->step->word[1]),
                    .round = op->round,
                    .from = from,
                    .to = to,
                    .small = shape_of(op)->reduces};
}

static void put_parts(const Operation *op, char *memory, const Area *area, const Parts *parts,
                      int out)
{
    const Shape *shape = shape_of(op);
    const Comm *comm = op->comm;
    const int personal = shape->out == EACH;
    const int root = comm->inter ? atoi(op->step->word[ROOT]) : comm->members[root_of(op)];
    if (shape->reduces) { /* one vector */
        put(memory, area, 0, parts->units, from_to(op, plan.rank, 0));
        return;
    }
    for (int i = 0; i < parts->blocks; i++) {
        int from = out ? plan.rank : shape->in == EACH ? comm->remote[i] : root;
        const int to = !personal ? 0 : !out ? plan.rank : comm->remote[i];
        put(memory, area, parts->places[i] / area->layout.units, parts->counts[i],
            from_to(op, from, to));
    }
}

/* All that is combined: the vectors of the other group (of the ranks up to this one). */
static void put_reduced(const Operation *op, Area *area, const Parts *whole, const Parts *parts)
{
    const Comm *comm = op->comm;
    const char *operator= op->step->word[OPERATOR];
    const int length = area->layout.unit.length, affine = !strcmp(operator, "uaffine");
    const int last = named(op, "scan")     ? comm->rank + 1
                     : named(op, "exscan") ? comm->rank
                                           : comm->remote_size;
    const int skip = shape_of(op)->out == EACH ? whole->places[comm->rank] : 0;
    for (int i = 0; i < parts->units * length && last; i += affine ? 2 : 1) {
        int64_t result[2] = {0, 0};
        for (int r = 0; r < last; r++) {
            const Source source = from_to(op, comm->remote[r], 0);
            int64_t next[2];
            for (int k = 0; k <= affine; k++) {
                const int place = skip * length + i + k;
                next[k] = value_of(area->layout.unit.letters[place % length], source, place);
            }
            if (r && affine)
                combine_affine(result, next);
            else if (r)
                next[0] = combine(operator, result[0], next[0]);
            memcpy(result, next, sizeof result);
        }
        for (int k = 0; k <= affine; k++)
            set(area->expected, area, 0, i + k, result[k]);
    }
}

static int is_in_place(const Operation *op)
{
    return flag(op->step, FLAGS, 'i') && (!shape_of(op)->rooted || is_root(op));
}

/* As if it were the buffer that is given, or this process's block of what it gets. */
static void fill_in_place(Operation *op, const Parts *out, const Parts *in)
{
    const Shape *shape = shape_of(op);
    const int own = op->comm->rank;
    if (shape->out == EACH || shape->in == ONE)
        put_parts(op, op->in.memory, &op->in, out, 1);
    else
        put(op->in.memory, &op->in, in->places[own] / op->in.layout.units, in->counts[own],
            from_to(op, plan.rank, 0));
}

void fill_collective(Operation *op)
{
    const Shape *shape = shape_of(op);
    if (shape->out == NONE)
        return;
    const Parts out = parts_of(op, 1), in = parts_of(op, 0);
    clear_area(&op->in), clear_area(&op->out);
    if (named(op, "bcast")) { /* the root's buffer stays as it is */
        const int root = is_root(op);
        put_parts(op, op->in.expected, &op->in, root ? &out : &in, root);
        if (root)
            put_parts(op, op->in.memory, &op->in, &out, 1);
        return;
    }
    const int keeps =
        is_in_place(op) && shape->rooted > 0; /* a root's own block stays where it is */
    if (is_in_place(op) && !keeps)
        fill_in_place(op, &out, &in);
    else
        put_parts(op, op->out.memory, &op->out, &out, 1);
    if (shape->reduces)
        put_reduced(op, &op->in, &out, &in);
    else if (!keeps)
        put_parts(op, op->in.expected, &op->in, &in, 0);
}

void check_collective(Operation *op)
{
    const Shape *shape = shape_of(op);
    if (shape->out == NONE)
        return;
    if (named(op, "exscan") && op->comm->rank == 0)
        return;
    if (shape->reduces && is_in_place(op) && shape->out == EACH) { /* the rest is whatever it is */
        const Parts in = parts_of(op, 0);
        const size_t result = (size_t)(in.units / op->in.layout.units) * op->in.layout.extent;
        memcpy(op->in.expected + result, op->in.memory + result, op->in.bytes - result);
    }
    check_area(&op->in, op->step->word[3]);
}

int have_persistent(void)
{
    int here = 0, everywhere = 0;
#if PERSISTENT_COLLECTIVES
    MPI_Comm comms[2];
    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        MPI_Comm_dup(i ? MPI_COMM_WORLD : MPI_COMM_SELF, &comms[i]);
        MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
        if (MPI_Barrier_init(comms[i], MPI_INFO_NULL, &request) == MPI_SUCCESS) {
            here++;
            MPI_Request_free(&request);
        }
        MPI_Comm_free(&comms[i]);
    }
#endif
    here = here == 2;
    MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return everywhere;
}

#if PERSISTENT_COLLECTIVES
#define INIT(call) call
#else
#define INIT(call) (void)0
#endif

#define CALL(Name, Iname, ...)                                                                     \
    do {                                                                                           \
        if (kind == 'b')                                                                           \
            MPI_##Name(__VA_ARGS__, comm);                                                         \
        else if (kind == 'i')                                                                      \
            MPI_##Iname(__VA_ARGS__, comm, request);                                               \
        else                                                                                       \
            INIT(MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request));                    \
    } while (0)

typedef struct {
    void *out, *in;
    int out_count, in_count, *gives, *gives_at, *gets, *gets_at;
    MPI_Datatype out_type, in_type;
} Arguments;

/* Arrays are in items, and stay until the operation has ended. */
static int in_items(const Parts *parts, const Area *area, int *counts, int *places)
{
    for (int i = 0; i < parts->blocks; i++) {
        counts[i] = parts->counts[i] / area->layout.units;
        places[i] = parts->places[i] / area->layout.units;
    }
    return parts->blocks ? counts[0] : 0;
}

/* What does not count on this rank is not there at all. */
static Arguments arguments_of(Operation *op)
{
    Arguments a = {.out_type = MPI_DATATYPE_NULL, .in_type = MPI_DATATYPE_NULL};
    const Shape *shape = shape_of(op);
    const Parts give = parts_of(op, 1), get = parts_of(op, 0);
    a.gives = op->arrays, a.gives_at = a.gives + MAX_RANKS;
    a.gets = a.gives_at + MAX_RANKS, a.gets_at = a.gets + MAX_RANKS;
    a.out_count = in_items(&give, &op->out, a.gives, a.gives_at);
    a.in_count = in_items(&get, &op->in, a.gets, a.gets_at);
    if (give.blocks)
        a.out = op->out.memory, a.out_type = op->out.layout.type;
    if (get.blocks)
        a.in = op->in.memory, a.in_type = op->in.layout.type;
    if (!is_in_place(op))
        return a;
    if (shape->rooted > 0)
        a.in = MPI_IN_PLACE, a.in_type = MPI_DATATYPE_NULL, a.in_count = 0;
    else
        a.out = MPI_IN_PLACE, a.out_type = MPI_DATATYPE_NULL, a.out_count = 0;
    return a;
}

static void call_alltoallw(Operation *op, char kind, Arguments *a)
{
    MPI_Request *request = &op->request;
    const MPI_Comm comm = op->comm->handle;
    MPI_Datatype *out = op->types, *in = op->types + MAX_RANKS;
    for (int i = 0; i < op->comm->remote_size; i++) {
        out[i] = op->out.layout.type, in[i] = op->in.layout.type;
        a->gives_at[i] *= (int)op->out.layout.extent, a->gets_at[i] *= (int)op->in.layout.extent;
    }
    if (a->out == MPI_IN_PLACE)
        CALL(Alltoallw, Ialltoallw, a->out, NULL, NULL, NULL, a->in, a->gets, a->gets_at, in);
    else
        CALL(Alltoallw, Ialltoallw, a->out, a->gives, a->gives_at, out, a->in, a->gets, a->gets_at,
             in);
}

static void call_reduction(Operation *op, char kind, Arguments *a)
{
    MPI_Request *request = &op->request;
    const MPI_Comm comm = op->comm->handle;
    const int root = root_of(op), count = a->in ? a->in_count : a->out_count;
    const MPI_Datatype type = op->in.layout.type;
    if (named(op, "reduce"))
        CALL(Reduce, Ireduce, a->out, a->in, count, type, op->op, root);
    else if (named(op, "allreduce"))
        CALL(Allreduce, Iallreduce, a->out, a->in, count, type, op->op);
    else if (named(op, "scan"))
        CALL(Scan, Iscan, a->out, a->in, count, type, op->op);
    else if (named(op, "exscan"))
        CALL(Exscan, Iexscan, a->out, a->in, count, type, op->op);
    else if (named(op, "reduce_scatter_block"))
        CALL(Reduce_scatter_block, Ireduce_scatter_block, a->out, a->in, count, type, op->op);
    else
        CALL(Reduce_scatter, Ireduce_scatter, a->out, a->in, a->gives, type, op->op);
}

void call_collective(Operation *op, char kind)
{
    MPI_Request *request = &op->request;
    const MPI_Comm comm = op->comm->handle;
    if (named(op, "barrier")) {
        if (kind == 'b')
            MPI_Barrier(comm);
        else if (kind == 'i')
            MPI_Ibarrier(comm, request);
        else
            INIT(MPI_Barrier_init(comm, MPI_INFO_NULL, request));
        return;
    }
    const int root = root_of(op);
    Arguments a = arguments_of(op);
    if (named(op, "bcast")) {
        int count;
        void *data = address_of(&op->in, &count);
        CALL(Bcast, Ibcast, data, count, op->in.layout.type, root);
    } else if (named(op, "gather"))
        CALL(Gather, Igather, a.out, a.out_count, a.out_type, a.in, a.in_count, a.in_type, root);
    else if (named(op, "gatherv"))
        CALL(Gatherv, Igatherv, a.out, a.out_count, a.out_type, a.in, a.gets, a.gets_at, a.in_type,
             root);
    else if (named(op, "scatter"))
        CALL(Scatter, Iscatter, a.out, a.out_count, a.out_type, a.in, a.in_count, a.in_type, root);
    else if (named(op, "scatterv"))
        CALL(Scatterv, Iscatterv, a.out, a.gives, a.gives_at, a.out_type, a.in, a.in_count,
             a.in_type, root);
    else if (named(op, "allgather"))
        CALL(Allgather, Iallgather, a.out, a.out_count, a.out_type, a.in, a.in_count, a.in_type);
    else if (named(op, "allgatherv"))
        CALL(Allgatherv, Iallgatherv, a.out, a.out_count, a.out_type, a.in, a.gets, a.gets_at,
             a.in_type);
    else if (named(op, "alltoall"))
        CALL(Alltoall, Ialltoall, a.out, a.out_count, a.out_type, a.in, a.in_count, a.in_type);
    else if (named(op, "alltoallv"))
        CALL(Alltoallv, Ialltoallv, a.out, a.gives, a.gives_at, a.out_type, a.in, a.gets, a.gets_at,
             a.in_type);
    else if (named(op, "alltoallw"))
        call_alltoallw(op, kind, &a);
    else
        call_reduction(op, kind, &a);
}

static void free_operator(Operation *op)
{
    if (op->op != MPI_OP_NULL && !is_predefined(op->step->word[OPERATOR]))
        MPI_Op_free(&op->op);
}

void free_collective(Operation *op)
{
    free_operator(op);
    if (op->arrays)
        memset(op->arrays, -1, sizeof(int) * 4 * MAX_RANKS);
    free(op->arrays), free(op->types);
    op->arrays = NULL, op->types = NULL;
}

/* As soon as the standard lets a program do so. */
static void free_early(Operation *op)
{
    if (flag(op->step, FLAGS, 't'))
        free_layout(&op->in.layout), free_layout(&op->out.layout);
    if (flag(op->step, FLAGS, 'o'))
        free_operator(op);
}

void begin_collective(const Step *step)
{
    Comm *comm = &plan.comms[atoi(step->word[2])];
    Operation *op = &plan.operations[atoi(step->word[1])];
    const char kind = step->word[4][0];
    if (!comm->live)
        return;
    *op = (Operation){.sort = COLLECTIVE, .step = step, .comm = comm, .op = MPI_OP_NULL};
    op->request = MPI_REQUEST_NULL;
    op->arrays = calloc(4 * MAX_RANKS, sizeof *op->arrays);
    op->types = calloc(2 * MAX_RANKS, sizeof *op->types);
    if (shape_of(op)->out != NONE) {
        const int turn = shape_of(op)->reduces ? 0 : comm->rank;
        const int given = parts_of(op, 1).units, got = parts_of(op, 0).units;
        op->in =
            make_area(step->word[LETTERS], step->word[LAYOUTS], turn, given > got ? given : got);
        op->out = make_area(step->word[LETTERS], step->word[LAYOUTS],
                            shape_of(op)->reduces ? 0 : turn + 1, given);
    }
    if (step->word[OPERATOR][0] != '-')
        op->op = make_operator(step->word[OPERATOR]);
    fill_collective(op);
    op->persistent = kind == 'p';
    op->active = kind == 'i';
    if (kind != 'p' || plan.persistent) {
        call_collective(op, kind);
        free_early(op);
    }
    if (kind != 'b')
        return;
    check_collective(op);
    free_collective(op);
    free_area(&op->in), free_area(&op->out);
}
