/* As much of the generated table as the files under test call. */
#ifndef TABLE_H
#define TABLE_H

#include <mpi.h>

typedef struct {
    int (*Type_size_c)(MPI_Datatype, MPI_Count *);
    int (*Type_get_extent)(MPI_Datatype, MPI_Aint *, MPI_Aint *);
    int (*Type_get_envelope_c)(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *,
                               int *);
    int (*Type_get_contents_c)(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int[],
                               MPI_Aint[], MPI_Count[], MPI_Datatype[]);
    int (*Type_free)(MPI_Datatype *);
} AbiTable;

#endif
