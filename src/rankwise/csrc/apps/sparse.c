#include "sparse.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rcond = 0.1;

/* Random vectors with `nonzeros` entries and one more; which of them have an entry in a row. */
typedef struct {
    int order, width;
    int *index, *length;
    double *value;
    int *first, *with; /* vectors with[first[row]] ... have an entry there */
} Vectors;

static void make_vector(Vectors *v, int number, int nonzeros, uint64_t *state, int *mark)
{
    int *index = v->index + (size_t)number * (size_t)v->width, count = 0, span = 1;
    double *value = v->value + (size_t)number * (size_t)v->width;
    while (span < v->order)
        span *= 2;
    while (count < nonzeros) {
        const double entry = nas_random(state, NAS_MULTIPLIER);
        const int place = (int)(span * nas_random(state, NAS_MULTIPLIER));
        if (place >= v->order || mark[place] == number + 1)
            continue;
        mark[place] = number + 1;
        index[count] = place;
        value[count++] = entry;
    }
    int own = 0;
    while (own < count && index[own] != number)
        own++;
    index[own] = number;
    value[own] = 0.5;
    v->length[number] = own < count ? count : count + 1;
}

static void find_rows(const AppRun *run, Vectors *v)
{
    v->first = memory(run, sizeof(int) * ((size_t)v->order + 2));
    v->with = memory(run, sizeof(int) * (size_t)v->order * (size_t)v->width);
    for (int i = 0; i < v->order; i++)
        for (int j = 0; j < v->length[i]; j++)
            v->first[v->index[(size_t)i * (size_t)v->width + (size_t)j] + 2]++;
    for (int i = 0; i < v->order; i++)
        v->first[i + 2] += v->first[i + 1];
    for (int i = 0; i < v->order; i++) /* first[row + 1] moves up to the row's end */
        for (int j = 0; j < v->length[i]; j++)
            v->with[v->first[v->index[(size_t)i * (size_t)v->width + (size_t)j] + 1]++] = i;
}

static void make_vectors(const AppRun *run, Vectors *v, int order, int nonzeros)
{
    uint64_t state = 314159265;
    int *mark = memory(run, sizeof(int) * (size_t)order);
    v->order = order;
    v->width = nonzeros + 1;
    v->index = memory(run, sizeof(int) * (size_t)order * (size_t)v->width);
    v->value = memory(run, sizeof(double) * (size_t)order * (size_t)v->width);
    v->length = memory(run, sizeof(int) * (size_t)order);
    nas_random(&state, NAS_MULTIPLIER); /* the definition drops the first number */
    for (int i = 0; i < order; i++)
        make_vector(v, i, nonzeros, &state, mark);
    free(mark);
    find_rows(run, v);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Appends a row's entries in the part: `dense` is all zeros before and after. */
static int add_row(SparseMatrix *m, int end, int row, const Vectors *v, const MatrixPart *part,
                   double shift, double *dense, char *touched)
{
    const int start = end;
    for (int i = v->first[row]; i < v->first[row + 1]; i++) {
        const size_t base = (size_t)v->with[i] * (size_t)v->width;
        const int length = v->length[v->with[i]];
        double scale = pow(rcond, (double)v->with[i] / v->order);
        for (int j = 0; j < length; j++)
            if (v->index[base + (size_t)j] == row) {
                scale *= v->value[base + (size_t)j];
                break;
            }
        for (int j = 0; j < length; j++) {
            const int column = v->index[base + (size_t)j] - part->column_start;
            if (column < 0 || column >= part->column_end - part->column_start)
                continue;
            if (!touched[column])
                m->column[end++] = column;
            touched[column] = 1;
            dense[column] += scale * v->value[base + (size_t)j];
        }
    }
    qsort(m->column + start, (size_t)(end - start), sizeof(int), ascending);
    for (int i = start; i < end; i++) {
        const int column = m->column[i];
        const bool diagonal = column + part->column_start == row;
        m->value[i] = dense[column] + (diagonal ? rcond - shift : 0);
        dense[column] = touched[column] = 0;
    }
    return end;
}

void make_matrix(const AppRun *run, SparseMatrix *m, int order, int nonzeros, double shift,
                 const MatrixPart *part)
{
    Vectors v = {0};
    make_vectors(run, &v, order, nonzeros);
    const size_t columns = (size_t)(part->column_end - part->column_start);
    const int vectors = v.first[part->row_end] - v.first[part->row_start];
    const size_t most = (size_t)vectors * (size_t)v.width;
    double *dense = memory(run, sizeof(double) * columns);
    char *touched = memory(run, columns);
    m->rows = part->row_end - part->row_start;
    m->first = memory(run, sizeof(int) * ((size_t)m->rows + 1));
    m->column = memory(run, sizeof(int) * most); /* what is not used is not touched either */
    m->value = memory(run, sizeof(double) * most);
    for (int i = 0; i < m->rows; i++)
        m->first[i + 1] =
            add_row(m, m->first[i], part->row_start + i, &v, part, shift, dense, touched);
    void *const all[] = {dense, touched, v.index, v.value, v.length, v.first, v.with};
    for (int i = 0; i < 7; i++)
        free(all[i]);
}

void free_matrix(SparseMatrix *m)
{
    free(m->first);
    free(m->column);
    free(m->value);
}

void multiply_part(const SparseMatrix *m, const double *vector, double *sums)
{
    for (int row = 0; row < m->rows; row++) {
        double sum = 0;
        for (int i = m->first[row]; i < m->first[row + 1]; i++)
            sum += m->value[i] * vector[m->column[i]];
        sums[row] = sum;
    }
}
