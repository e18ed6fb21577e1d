/* The matrix of CG: a sum of outer products of random sparse vectors, and a shift. */
#ifndef RANKWISE_APPS_SPARSE_H
#define RANKWISE_APPS_SPARSE_H

#include "app.h"

typedef struct {
    int row_start, row_end, column_start, column_end;
} MatrixPart;

typedef struct {
    int rows, *first; /* entry of each row, and the end */
    int *column;      /* of each entry, counted from the part's first */
    double *value;
} SparseMatrix;

void make_matrix(const AppRun *run, SparseMatrix *matrix, int order, int nonzeros, double shift,
                 const MatrixPart *part);
void free_matrix(SparseMatrix *matrix);
/* sums[rows] = this part of the matrix times vector[columns of the part]. */
void multiply_part(const SparseMatrix *matrix, const double *vector, double *sums);

#endif
