/* CG: the smallest eigenvalue of a sparse matrix by the power method, each step solved by conjugate
 * gradients. The matrix lies in blocks on a grid of ranks, vectors by columns. */
#include "app.h"
#include "sparse.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, STEPS = 25 };
typedef struct {
    int order, nonzeros, iterations;
    double shift, zeta;
} Problem;
static const Problem problems[CLASSES] = {{1400, 7, 15, 10, 8.5971775078648},
                                          {7000, 8, 15, 12, 10.362595087124},
                                          {14000, 11, 15, 20, 17.130235054029},
                                          {75000, 13, 75, 60, 22.712745482631},
                                          {150000, 15, 75, 110, 28.973605592845}};

typedef struct {
    AppRun *run;
    int columns, row, column;   /* of the grid: how many, and where this rank is */
    int row_count, count;       /* of this rank's block */
    int part_start, part_count; /* of the rows of the block: what of their sums comes here ... */
    int transposed;             /* ... and the rank that needs them as its columns */
    SparseMatrix matrix;
    double *x, *z, *p, *q, *r, *sums, *incoming;
} Solver;

static int start_of(int order, int parts, int part)
{
    const int each = order / parts, more = order % parts;
    return part * each + (part < more ? part : more);
}

/* Where there are twice as many columns as rows, a row's block is cut into two columns'. */
static int column_start(const Problem *problem, int rows, int columns, int column)
{
    if (rows == columns || column == columns)
        return start_of(problem->order, rows, rows == columns ? column : rows);
    const int low = start_of(problem->order, rows, column / 2);
    const int high = start_of(problem->order, rows, column / 2 + 1);
    return column % 2 ? low + (high - low + 1) / 2 : low;
}

static void lay_out(Solver *s, const Problem *problem)
{
    const int ranks = s->run->ranks;
    int rows = 1;
    while (4 * rows * rows <= ranks)
        rows *= 2;
    s->columns = ranks / rows;
    s->row = s->run->rank / s->columns;
    s->column = s->run->rank % s->columns;
    const int half = s->columns / rows - 1 ? s->column % 2 : 0, wide = s->columns / rows;
    const MatrixPart part = {start_of(problem->order, rows, s->row),
                             start_of(problem->order, rows, s->row + 1),
                             column_start(problem, rows, s->columns, s->column),
                             column_start(problem, rows, s->columns, s->column + 1)};
    s->row_count = part.row_end - part.row_start;
    s->count = part.column_end - part.column_start;
    s->part_start = half ? (s->row_count + 1) / 2 : 0;
    s->part_count = wide == 1 ? s->row_count : (s->row_count + 1 - half) / 2;
    s->transposed = s->column / wide * s->columns + s->row * wide + half;
    make_matrix(s->run, &s->matrix, problem->order, problem->nonzeros, problem->shift, &part);
}

static void prepare(Solver *s, const Problem *problem)
{
    lay_out(s, problem);
    const int longer = s->row_count > s->count ? s->row_count : s->count;
    double **const vectors[] = {&s->x, &s->z, &s->p, &s->q, &s->r, &s->sums, &s->incoming};
    for (int i = 0; i < 7; i++)
        *vectors[i] = memory(s->run, sizeof(double) * ((size_t)longer + 1));
}

static void release(Solver *s)
{
    double *const vectors[] = {s->x, s->z, s->p, s->q, s->r, s->sums, s->incoming};
    for (int i = 0; i < 7; i++)
        free(vectors[i]);
    free_matrix(&s->matrix);
}

static void swap(const Solver *s, int with, double *out, int count, double *in, int in_count)
{
    MPI_Request request;
    MPI_Irecv(in, in_count, MPI_DOUBLE, with, 1, s->run->comm, &request);
    MPI_Send(out, count, MPI_DOUBLE, with, 1, s->run->comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The sums over the ranks of a row, which have all columns together. */
static void sum_over_row(const Solver *s, double *values, int count)
{
    double others[2];
    for (int bit = s->columns / 2; bit; bit /= 2) {
        swap(s, s->row * s->columns + (s->column ^ bit), values, count, others, count);
        for (int i = 0; i < count; i++)
            values[i] += others[i];
    }
}

static double dot(Solver *s, const double *a, const double *b)
{
    double sum = 0;
    COMPUTE(s->run, 1)
    {
        for (int i = 0; i < s->count; i++)
            sum += a[i] * b[i];
    }
    sum_over_row(s, &sum, 1);
    return sum;
}

/* Adds what the rank of the row at this distance has of the same rows, of `sums` from `start`. */
static void add_from(Solver *s, int bit, int out_start, int out_count)
{
    const int with = s->row * s->columns + (s->column ^ bit);
    swap(s, with, s->sums + out_start, out_count, s->incoming, s->part_count);
    COMPUTE(s->run, 2)
    {
        for (int i = 0; i < s->part_count; i++)
            s->sums[s->part_start + i] += s->incoming[i];
    }
}

/* result = A vector: sums of this block, summed over the row, transposed to where they belong. */
static void multiply(Solver *s, const double *vector, double *result)
{
    COMPUTE(s->run, 0)
    {
        multiply_part(&s->matrix, vector, s->sums);
    }
    const bool halves = s->part_count < s->row_count;
    if (halves) /* each of two neighbours keeps one */
        add_from(s, 1, s->part_start ? 0 : s->part_count, s->row_count - s->part_count);
    for (int bit = s->columns / 2; bit > halves; bit /= 2)
        add_from(s, bit, s->part_start, s->part_count);
    if (s->transposed == s->run->rank)
        memcpy(result, s->sums + s->part_start, sizeof(double) * (size_t)s->count);
    else
        swap(s, s->transposed, s->sums + s->part_start, s->part_count, result, s->count);
}

/* Solves A z = x nearly; the residual is computed as the definition asks, though not needed. */
static double conjugate_gradients(Solver *s)
{
    const size_t bytes = sizeof(double) * (size_t)s->count;
    memset(s->z, 0, bytes);
    memcpy(s->r, s->x, bytes);
    memcpy(s->p, s->x, bytes);
    double rho = dot(s, s->r, s->r);
    for (int step = 0; step < STEPS; step++) {
        multiply(s, s->p, s->q);
        const double alpha = rho / dot(s, s->p, s->q), before = rho;
        COMPUTE(s->run, 3)
        {
            for (int i = 0; i < s->count; i++) {
                s->z[i] += alpha * s->p[i];
                s->r[i] -= alpha * s->q[i];
            }
        }
        rho = dot(s, s->r, s->r);
        const double beta = rho / before;
        COMPUTE(s->run, 4)
        {
            for (int i = 0; i < s->count; i++)
                s->p[i] = s->r[i] + beta * s->p[i];
        }
    }
    multiply(s, s->z, s->r);
    for (int i = 0; i < s->count; i++)
        s->r[i] = s->x[i] - s->r[i];
    return sqrt(dot(s, s->r, s->r));
}

static double iterate(Solver *s, double shift)
{
    double products[2] = {0, 0};
    conjugate_gradients(s);
    for (int i = 0; i < s->count; i++) {
        products[0] += s->x[i] * s->z[i];
        products[1] += s->z[i] * s->z[i];
    }
    sum_over_row(s, products, 2);
    for (int i = 0; i < s->count; i++)
        s->x[i] = s->z[i] / sqrt(products[1]);
    return shift + 1 / products[0];
}

static void fill_with_ones(Solver *s)
{
    for (int i = 0; i < s->count; i++)
        s->x[i] = 1;
}

static void run(AppRun *r)
{
    const Problem *problem = &problems[class_number(r)];
    Solver s = {.run = r};
    double zeta = 0;
    prepare(&s, problem);
    fill_with_ones(&s);
    iterate(&s, problem->shift); /* untimed: pages and connections are there afterwards */
    fill_with_ones(&s);
    const double begun = begin_timed(r);
    for (int i = 0; i < problem->iterations; i++)
        zeta = iterate(&s, problem->shift);
    end_timed(r, begun);
    const double entries = problem->nonzeros * (problem->nonzeros + 1.0);
    r->operations =
        2.0 * problem->iterations * problem->order * (3 + entries + STEPS * (5 + entries) + 3);
    check(r, "zeta", zeta, problem->zeta, 1e-10);
    release(&s);
}

APP(cg) = {
    .description = "conjugate gradients: 8-byte and long messages between pairs",
    .class_names = "SWABC",
    .refuses = refuse_unless_power_of_two,
    .run = run,
};
