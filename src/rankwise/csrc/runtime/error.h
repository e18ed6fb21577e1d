/* Errors of runtime/: every function that can fail returns MPI_SUCCESS or an MPI error code, which
 * MPI_Error_string puts into words (MPI_ERR_NO_MEM: out of memory). Codes of the library itself
 * come back only where the communicator's error handler returns. */
#ifndef RANKWISE_RUNTIME_ERROR_H
#define RANKWISE_RUNTIME_ERROR_H

#include <mpi.h>

/* Returns the error of `CALL` from the function that it stands in. */
#define RW_TRY(CALL)                                                                               \
    do {                                                                                           \
        const int error_ = (CALL);                                                                 \
        if (error_ != MPI_SUCCESS)                                                                 \
            return error_;                                                                         \
    } while (0)

#endif
