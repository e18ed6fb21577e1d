/* Of which basic elements a datatype is, in the order in which they are packed. */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Basic elements one after another, or parts one after another, so many times. */
typedef struct Signature Signature;
struct Signature {
    int64_t times;
    int unit; /* bytes of a basic element; 0: there are parts */
    bool long_double;
    int count;
    Signature *parts; /* shape (count) */
};

/* Of so many elements of this type. An error code; it is to be forgotten in any case. */
int describe_type(MPI_Datatype type, int64_t times, Signature *signature);
void forget_signature(Signature *signature);

#endif
