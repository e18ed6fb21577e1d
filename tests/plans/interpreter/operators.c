/* Reductions: predefined ones, and the program's own. */
#include "plan.h"
#include <string.h>

static int units_of(MPI_Datatype type, int bytes, MPI_Aint *extent)
{
    int size;
    MPI_Aint lower;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lower, extent);
    return size / bytes;
}

/* Units lie at the beginning of each item. */
static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint extent;
    const int units = units_of(*type, sizeof(int), &extent);
    for (int i = 0; i < *count; i++) {
        const int *from = (const int *)((const char *)in + i * extent);
        int *to = (int *)((char *)inout + i * extent);
        for (int k = 0; k < units; k++)
            to[k] += from[k];
    }
}

/* Which does not commute: x -> a x + b, one after another. */
void combine_affine(const int64_t left[2], int64_t right[2])
{
    const unsigned a = (unsigned)left[0], b = (unsigned)left[1];
    const unsigned c = (unsigned)right[0], d = (unsigned)right[1];
    right[0] = a * c, right[1] = (unsigned)(b * c + d);
}

static void affine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint extent;
    const int units = units_of(*type, 2 * sizeof(unsigned), &extent);
    for (int i = 0; i < *count; i++) {
        const unsigned *from = (const unsigned *)((const char *)in + i * extent);
        unsigned *to = (unsigned *)((char *)inout + i * extent);
        for (int k = 0; k < 2 * units; k += 2) {
            const int64_t left[2] = {from[k], from[k + 1]};
            int64_t right[2] = {to[k], to[k + 1]};
            combine_affine(left, right);
            to[k] = (unsigned)right[0], to[k + 1] = (unsigned)right[1];
        }
    }
}

int is_predefined(const char *name)
{
    return name[0] != 'u';
}

/* `uadd`, `uaffine`: to be freed. */
MPI_Op make_operator(const char *name)
{
    MPI_Op op;
    if (!strcmp(name, "sum"))
        return MPI_SUM;
    if (!strcmp(name, "max"))
        return MPI_MAX;
    if (!strcmp(name, "min"))
        return MPI_MIN;
    if (!strcmp(name, "bxor"))
        return MPI_BXOR;
    MPI_Op_create(!strcmp(name, "uadd") ? add : affine, !strcmp(name, "uadd"), &op);
    return op;
}

int64_t combine(const char *name, int64_t left, int64_t right)
{
    if (!strcmp(name, "max"))
        return left > right ? left : right;
    if (!strcmp(name, "min"))
        return left < right ? left : right;
    return !strcmp(name, "bxor") ? left ^ right : left + right;
}
