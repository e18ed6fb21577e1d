/* A file that the ranks write and read, for the benchmarks of MPI-IO. */
#ifndef RANKWISE_FILES_H
#define RANKWISE_FILES_H

#include "kernel.h"

#ifdef MPI_MODE_RDWR
#define NEEDS_FILES NULL
#define FILES_ONLY(FUNCTION) FUNCTION
#else
#define NEEDS_FILES "needs MPI-IO of MPI 2.0, which this library was built without"
#define FILES_ONLY(FUNCTION) NULL
#endif

/* LAM/MPI's MPI-IO does not know the datatypes of MPI 2.0 that layouts are made of. */
#ifdef LAM_MPI
#define FILES_OF_PLAIN_DATA true
#else
#define FILES_OF_PLAIN_DATA false
#endif

/* What c->state is from setup to teardown. */
typedef struct {
#ifdef MPI_MODE_RDWR
    MPI_File file;
    MPI_Offset offset; /* of this rank's block */
#endif
    bool opened;
    char path[512];
} OpenFile;

void open_own_file(Cell *c);    /* each rank one of its own */
void open_shared_file(Cell *c); /* all ranks the same, in which each has a block */
void close_file(Cell *c);       /* and deletes it */

/* What is written, which is read again to be checked; and what is read. */
extern const Data written_data, read_data;

/* Ends the job, with the library's words, unless the call succeeded. */
void require_file(const Cell *c, int error);

#endif
