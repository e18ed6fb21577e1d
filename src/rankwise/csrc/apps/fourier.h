/* Fourier transforms of lines of 2^n numbers. */
#ifndef RANKWISE_APPS_FOURIER_H
#define RANKWISE_APPS_FOURIER_H

#include <stddef.h>

enum { MAX_WIDTH = 512 };

typedef struct {
    double re, im;
} Complex;

/* roots[i] = exp(2 pi i / MAX_WIDTH). */
void make_roots(Complex *roots);
/* Transforms the `width` numbers that lie `stride` apart from `first` on; sign 1 or -1: of the
 * exponents. Not scaled. */
void transform(const Complex *roots, Complex *first, size_t stride, int width, int sign);

#endif
