/* What ranks tell one another when they make communicators from one that they have. */
#ifndef DERIVED_H
#define DERIVED_H

#include "communicators.h"

typedef struct {
    int color, key, number;
} Wish;

/* Those of all ranks of `own`, which is to be freed; the first one's has the new communicator's
 * number. An error code. */
int collect(Joined *joined, Wish wish, Wish **all);

/* The number alone. An error code. */
int hear_number(const Joined *joined, int *number);

/* The ranks of one color, by key and then by rank: their places in `order`. Returns how many. */
int sort_color(const Wish *all, int size, int color, int *order);

/* They become a communicator of the same ranks, with the same topology. An error code. */
int join_copy(const Joined *joined, Halves halves, int number);

#endif
