#include "grid.h"
#include <stdlib.h>
#include <string.h>

enum { CHARGES = 10 };

typedef struct {
    double value, place; /* x + width (y + width z), which a double holds exactly */
} Extreme;

/* Keeps the largest values (of `sign` times them), the largest first. */
static void keep(Extreme *kept, double sign, Extreme new)
{
    if (sign * new.value <= sign * kept[CHARGES - 1].value)
        return;
    int i = CHARGES - 1;
    for (; i > 0 && sign * new.value > sign *kept[i - 1].value; i--)
        kept[i] = kept[i - 1];
    kept[i] = new;
}

static void find_extremes(const Grid *g, Extreme *largest, Extreme *smallest)
{
    for (int i = 0; i < CHARGES; i++) {
        largest[i] = (Extreme){0, 0};
        smallest[i] = (Extreme){1, 0};
    }
    for (int z = 0; z < g->count[2]; z++)
        for (int y = 0; y < g->count[1]; y++) {
            const uint64_t width = (uint64_t)g->width, row = (uint64_t)(g->low[1] + y);
            uint64_t place =
                (uint64_t)g->low[0] + width * (row + width * (uint64_t)(g->low[2] + z));
            uint64_t state = UINT64_C(314159265) * nas_power(NAS_MULTIPLIER, place);
            for (int x = 0; x < g->count[0]; x++, place++) {
                const double value = nas_random(&state, NAS_MULTIPLIER);
                keep(largest, 1, (Extreme){value, (double)place});
                keep(smallest, -1, (Extreme){value, (double)place});
            }
        }
}

void place_charges(const Ranks *ranks, const Grid *g, double *array)
{
    enum { EACH = 2 * CHARGES * 2 };
    const AppRun *run = ranks->run;
    Extreme mine[2 * CHARGES], *all = memory(run, sizeof mine * (size_t)run->ranks);
    find_extremes(g, mine, mine + CHARGES);
    MPI_Allgather(mine, EACH, MPI_DOUBLE, all, EACH, MPI_DOUBLE, run->comm);
    for (int rank = 0; rank < run->ranks; rank++)
        for (int i = 0; rank != run->rank && i < CHARGES; i++) {
            keep(mine, 1, all[2 * CHARGES * rank + i]);
            keep(mine + CHARGES, -1, all[2 * CHARGES * rank + CHARGES + i]);
        }
    free(all);
    memset(array, 0, sizeof(double) * g->size);
    for (int i = 0; i < 2 * CHARGES; i++) {
        int64_t rest = (int64_t)mine[i].place;
        int at[3];
        bool here = true;
        for (int axis = 0; axis < 3; axis++, rest /= g->width) {
            at[axis] = (int)(rest % g->width) - g->low[axis] + 1;
            here = here && at[axis] >= 1 && at[axis] <= g->count[axis];
        }
        if (here)
            array[point(g, at[0], at[1], at[2])] = i < CHARGES ? 1 : -1;
    }
    exchange_faces(ranks, g, array, false);
}
