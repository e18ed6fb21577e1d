/* A collective's data as schedules want them: elements packed one after another.
 *
 * What is only moved, is moved as bytes: the ranks need to agree on nothing but their number. What
 * has gaps, is derived, or lies apart (the displacements of v-variants) goes through a buffer of
 * ours. What is reduced stays as it is, elements of the program's own type. */
#ifndef RANKWISE_DATA_H
#define RANKWISE_DATA_H

#include "../execution/pack.h"
#include "collective.h"

/* Blocks of the program's, one a rank or only one. */
typedef struct {
    char *buffer;
    MPI_Datatype type;
    int blocks; /* 0: there is nothing */
    int64_t each;
    Numbers counts, starts; /* in elements of the type; without: `each` */
    int64_t element_bytes;
    MPI_Aint extent;
} Blocks;

/* Converts packed data of this type in place, to another representation or back. An error code. */
typedef int Convert(char *packed, uint64_t bytes, MPI_Datatype type);

typedef struct {
    const void *input;
    void *output;
    MPI_Datatype type;
    int64_t element_bytes;
    Blocks back; /* where the output goes in the end; no blocks: it is there */
    void *packed_input, *packed_output;
    void *kept_counts, *kept_starts; /* of `back`, once the program may have dropped its own */
    MPI_Datatype held_type;          /* MPI_DATATYPE_NULL: none */
    MPI_Op held_op;                  /* MPI_OP_NULL: none */
    Convert *convert_back;           /* of the output, so many bytes of this type; NULL: none is */
    int64_t bytes_back;
    MPI_Datatype type_back;
} Data;

/* Makes ready the data of rank `rank` of `ranks` (its input packed). An MPI error code; after an
 * error there is nothing to free. */
int arrange_data(Data *data, const Collective *call, int rank, int ranks);

/* What is moved goes in another representation: makes the input so, and the output will be
 * converted back. An MPI error code, after which the data are still to be returned. */
int represent_data(Data *data, const Collective *call, int rank, int ranks, Convert *there,
                   Convert *back);

/* Puts the output where the program wants it, unless `code` is an error, and frees what was packed.
 * Returns `code`, or the error that came now. */
int return_data(Data *data, int code);

/* Makes the data outlive the arguments of the call: a nonblocking operation ends later. */
int keep_arguments(Data *data, const Collective *call, int ranks);

bool is_predefined(MPI_Datatype type);
bool moves_only(Operation operation);
bool reduces(Operation operation);

#endif
