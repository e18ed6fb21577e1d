/* Numbers and addresses with values that stand for something else. */
#ifndef VALUES_H
#define VALUES_H

#include <stdint.h>

#include "table.h"

static inline void *to_buffer(const void *address)
{
    if ((uintptr_t)address > (uintptr_t)ABI_BUFFER_AUTOMATIC)
        return (void *)address;
#ifdef KNOWS_IN_PLACE
    if (address == ABI_IN_PLACE)
        return (void *)MPI_IN_PLACE;
#endif
#ifdef KNOWS_BUFFER_AUTOMATIC
    if (address == ABI_BUFFER_AUTOMATIC)
        return (void *)MPI_BUFFER_AUTOMATIC;
#endif
    return address == ABI_BOTTOM ? (void *)MPI_BOTTOM : (void *)address;
}

static inline void *from_buffer(const void *address)
{
#ifdef KNOWS_IN_PLACE
    if (address == (const void *)MPI_IN_PLACE)
        return ABI_IN_PLACE;
#endif
#ifdef KNOWS_BUFFER_AUTOMATIC
    if (address == (const void *)MPI_BUFFER_AUTOMATIC)
        return ABI_BUFFER_AUTOMATIC;
#endif
    return (void *)address;
}

static inline int *to_weights(const int *weights)
{
#ifdef KNOWS_UNWEIGHTED
    if (weights == ABI_UNWEIGHTED)
        return (int *)MPI_UNWEIGHTED;
#endif
#ifdef KNOWS_WEIGHTS_EMPTY
    if (weights == ABI_WEIGHTS_EMPTY)
        return (int *)MPI_WEIGHTS_EMPTY;
#endif
    return (int *)weights;
}

static inline int *from_weights(const int *weights)
{
#ifdef KNOWS_UNWEIGHTED
    if (weights == (const int *)MPI_UNWEIGHTED)
        return ABI_UNWEIGHTED;
#endif
#ifdef KNOWS_WEIGHTS_EMPTY
    if (weights == (const int *)MPI_WEIGHTS_EMPTY)
        return ABI_WEIGHTS_EMPTY;
#endif
    return (int *)weights;
}

/* Keys of attributes: where the MPI counts its own from 0, they are moved away from the standard's.
 */
enum { KEYVAL_SHIFT = sizeof(MPI_Comm) == 4 ? 0 : 1000 };

static inline int to_keyval(int keyval)
{
    if (keyval == ABI_KEYVAL_INVALID)
        return MPI_KEYVAL_INVALID;
    const int native = to_predefined_keyval(keyval);
    return native != keyval || (unsigned)keyval < PREDEFINED / 2 ? native : keyval - KEYVAL_SHIFT;
}

static inline int from_keyval(int keyval)
{
    if (keyval == MPI_KEYVAL_INVALID)
        return ABI_KEYVAL_INVALID;
    const int predefined = from_predefined_keyval(keyval);
    return predefined != keyval ? predefined : keyval + KEYVAL_SHIFT;
}

/* Handles as Fortran integers: what is predefined has the same value in both. */
#define HANDLE_TO_INT(type, name, handle)                                                          \
    ((uintptr_t)(handle) < PREDEFINED ? (int)(uintptr_t)(handle)                                   \
     : sizeof(MPI_##type) == 4        ? (int)(uintptr_t)(handle)                                   \
                                      : PREDEFINED + (int)PMPI_##name##_c2f(to_##type(handle)))
#define INT_TO_HANDLE(type, name, number)                                                          \
    ((number) >= 0 && (number) < PREDEFINED ? (ABI_##type)(uintptr_t)(number)                      \
     : sizeof(MPI_##type) == 4              ? (ABI_##type)(uintptr_t)(uint32_t)(number)            \
                               : from_##type(PMPI_##name##_f2c((MPI_Fint)((number)-PREDEFINED))))

#endif
