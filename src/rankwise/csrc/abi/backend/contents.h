/* Constants among the integers that a subarray or a distributed array was made of: each side has
   numbers of its own for them. */
#ifndef CONTENTS_H
#define CONTENTS_H

#include <stdbool.h>

typedef int Conversion(int value);

/* `large`: it was made with large counts, and its sizes are elsewhere. */
static inline void convert_contents(bool distributed, bool large, int integers[], Conversion *order,
                                    Conversion *distribution, Conversion *argument)
{
    const int dimensions = integers[distributed ? 2 : 0];
    int *next = integers + (distributed ? 3 : 1);
    if (!large)
        next += (distributed ? 1 : 3) * dimensions; /* gsizes; or sizes, subsizes, starts */
    for (int d = 0; distributed && d < dimensions; d++) {
        next[d] = distribution(next[d]);
        next[dimensions + d] = argument(next[dimensions + d]);
    }
    next += distributed ? 3 * dimensions : 0; /* psizes as well */
    *next = order(*next);
}

#endif
