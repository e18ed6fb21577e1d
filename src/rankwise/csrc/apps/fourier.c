#include "fourier.h"
#include <math.h>

void make_roots(Complex *roots)
{
    const double turn = 2 * 3.14159265358979323846;
    for (int i = 0; i < MAX_WIDTH; i++)
        roots[i] = (Complex){cos(turn * i / MAX_WIDTH), sin(turn * i / MAX_WIDTH)};
}

/* Stockham's transform of a line of 2^n numbers; returns which of the two has the result. */
static Complex *transform_line(const Complex *roots, Complex *in, Complex *out, int width, int sign)
{
    for (int length = width, stride = 1; length > 1; length /= 2, stride *= 2) {
        const int half = length / 2, step = MAX_WIDTH / length;
        for (int i = 0; i < half; i++) {
            const Complex root = {roots[i * step].re, sign * roots[i * step].im};
            for (int j = 0; j < stride; j++) {
                const Complex a = in[j + stride * i], b = in[j + stride * (i + half)];
                const Complex less = {a.re - b.re, a.im - b.im};
                out[j + stride * 2 * i] = (Complex){a.re + b.re, a.im + b.im};
                out[j + stride * (2 * i + 1)] = (Complex){less.re * root.re - less.im * root.im,
                                                          less.re * root.im + less.im * root.re};
            }
        }
        Complex *const swap = in;
        in = out;
        out = swap;
    }
    return in;
}

void transform(const Complex *roots, Complex *first, size_t stride, int width, int sign)
{
    Complex lines[2][MAX_WIDTH];
    for (int i = 0; i < width; i++)
        lines[0][i] = first[stride * (size_t)i];
    const Complex *result = transform_line(roots, lines[0], lines[1], width, sign);
    for (int i = 0; i < width; i++)
        first[stride * (size_t)i] = result[i];
}
