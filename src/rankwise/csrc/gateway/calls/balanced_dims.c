/* MPI_Dims_create: it is local, but ranks give what it says to MPI_Cart_create, where all have to
 * name the same, and the libraries of two sites do not. The largest dimension is as small as can
 * be, then the next one, and so on. */
#include "calls.h"
#include "communicators.h"
#include <stdlib.h>

/* The smallest divisor of `n` above `after`; 0: there is none. */
static int next_divisor(int n, int after)
{
    long d = after + 1L;
    for (; d * d <= n; d++)
        if (n % d == 0)
            return (int)d;
    for (long other = n / d; other >= 1; other--)
        if (n % other == 0)
            return n / (int)other;
    return 0;
}

static bool power_reaches(int base, int exponent, int n)
{
    long power = 1;
    while (exponent-- > 0 && power < n)
        power *= base;
    return power >= n;
}

/* Whether `n` is a product of so many factors that are at most `limit`: then they are in order. */
static bool factorise(int n, int count, int limit, int *factors)
{
    if (count == 0)
        return n == 1;
    for (int d = next_divisor(n, 0); d && d <= limit; d = next_divisor(n, d)) {
        factors[0] = d;
        if (power_reaches(d, count, n) && factorise(n / d, count - 1, d, factors + 1))
            return true;
    }
    return false;
}

/* What the dimensions that are not given have to hold, and how many they are; 0: nothing fits. */
static int left_over(int nnodes, int ndims, const int dims[], int *open)
{
    *open = 0;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 0 || (dims[d] > 0 && nnodes % dims[d]))
            return 0;
        nnodes /= dims[d] > 0 ? dims[d] : 1;
        *open += dims[d] == 0;
    }
    return *open || nnodes == 1 || !ndims ? nnodes : 0;
}

int call_Dims_create(int nnodes, int ndims, int dims[])
{
    int open = 0;
    const int rest = nnodes > 0 && ndims >= 0 ? left_over(nnodes, ndims, dims, &open) : 0;
    if (rest == 0)
        return fail(NULL, MPI_ERR_DIMS);
    int *factors = malloc((size_t)open * sizeof *factors + 1);
    if (!factors)
        return fail(NULL, MPI_ERR_NO_MEM);
    if (open)
        factorise(rest, open, rest, factors);
    for (int d = 0, f = 0; d < ndims; d++)
        if (dims[d] == 0)
            dims[d] = factors[f++];
    free(factors);
    return MPI_SUCCESS;
}
