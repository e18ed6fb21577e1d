/* Arithmetic on blocks of 5 x 5, rows one after the other. */
#ifndef RANKWISE_APPS_BLOCKS_H
#define RANKWISE_APPS_BLOCKS_H

#include <stddef.h>

enum { ROW = 5, BLOCK = ROW * ROW };

/* y -= factor * block x */
static inline void subtract_times_vector(double *y, double factor, const double *block,
                                         const double *x)
{
    for (int i = 0; i < ROW; i++) {
        double sum = 0;
        for (int j = 0; j < ROW; j++)
            sum += block[ROW * i + j] * x[j];
        y[i] -= factor * sum;
    }
}

/* c -= a b */
static inline void subtract_product(double *c, const double *a, const double *b)
{
    for (int i = 0; i < ROW; i++)
        for (int k = 0; k < ROW; k++)
            for (int j = 0; j < ROW; j++)
                c[ROW * i + j] -= a[ROW * i + k] * b[ROW * k + j];
}

/* Solves block x = right, and block X = blocks unless that is NULL; the solutions take the place of
 * the right sides, the block is lost. Without pivoting: diagonals dominate. */
static inline void solve_block(double *block, double *right, double *blocks)
{
    for (int p = 0; p < ROW; p++) {
        const double scale = 1 / block[(ROW + 1) * p];
        for (int j = p + 1; j < ROW; j++)
            block[ROW * p + j] *= scale;
        for (int j = 0; blocks && j < ROW; j++)
            blocks[ROW * p + j] *= scale;
        right[p] *= scale;
        for (int i = 0; i < ROW; i++) {
            const double factor = block[ROW * i + p];
            if (i == p)
                continue;
            for (int j = p + 1; j < ROW; j++)
                block[ROW * i + j] -= factor * block[ROW * p + j];
            for (int j = 0; blocks && j < ROW; j++)
                blocks[ROW * i + j] -= factor * blocks[ROW * p + j];
            right[i] -= factor * right[p];
        }
    }
}

#endif
