/* What an MPI is too old for: a benchmark that needs it says so in `.unsupported` (kernel.h). */
#ifndef RANKWISE_MPI_VERSIONS_H
#define RANKWISE_MPI_VERSIONS_H

#include <mpi.h>
#include <stddef.h>

/* For a function that stands in `#if MPI_VERSION >= 3`: itself, or NULL and the reason for
 * `.unsupported`. */
#define TEXT_OF(X) #X
#define TEXT(X) TEXT_OF(X)
#if MPI_VERSION >= 3
#define NEEDS_MPI3 NULL
#define MPI3_ONLY(FUNCTION) FUNCTION
#else
#define NEEDS_MPI3 "needs MPI 3.0; this library has MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION)
#define MPI3_ONLY(FUNCTION) NULL
#endif

/* The same for MPI 4.0, some of which Open MPI 5 has without calling itself so. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_MPI4 1
#define NEEDS_MPI4 NULL
#define MPI4_ONLY(FUNCTION) FUNCTION
#else
#define HAS_MPI4 0
#define NEEDS_MPI4 "needs MPI 4.0; this library has MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION)
#define MPI4_ONLY(FUNCTION) NULL
#endif

/* MPICH before 5.0 and Intel MPI, which counts as MPICH 3.4, move wrong data or fail where these
 * are started again: allgather, bcast, gather and scatter (MPICH's issue 7078, its pull request
 * 7550). */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000
#define NEEDS_RESTARTABLE                                                                          \
    "its persistent allgather, bcast, gather and scatter go wrong when they are started again"
#else
#define NEEDS_RESTARTABLE NEEDS_MPI4
#endif

#endif
