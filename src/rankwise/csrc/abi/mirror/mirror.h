/* A mirror: the functions of one MPI by those of the standard ABI's table, for programs that were
   linked to that MPI.

   What converts is the same as in a backend: `to_` turns something of the standard's into that
   MPI's. Sources of backends whose names are exchanged (MPI_ and ABI_, to_ and from_) do the rest.
 */
#ifndef MIRROR_H
#define MIRROR_H

#include <stddef.h>
#include <stdint.h>

#include "contents.h"
#include "failures.h"
#include "peers.h"
#include "scratch.h"
#include "statuses.h"
#include "table.h"
#include "values.h"

void define_constants(void);
void define_handle(uintptr_t abi, uintptr_t native);

/* A predefined handle and the integer that it is in Fortran; -1 after the last one. */
typedef struct {
    uintptr_t standard;
    int number;
} Predefined;

/* The standard's value of a predefined one; 0 if there is none of this number. */
static inline uintptr_t standard_of(const Predefined *known, int number)
{
    while (known->number >= 0 && known->number != number)
        known++;
    return known->standard;
}

/* A string that the program has `room` bytes for, some MPIs having shorter ones than the standard.
   `length`, where there is one, counts without the end. */
void copy_string(const char *from, char *to, int room, int *length);

#endif
