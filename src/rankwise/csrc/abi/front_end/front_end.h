/* What every program of the standard ABI calls: libmpi_abi.so.1. */
#ifndef FRONT_END_H
#define FRONT_END_H

#include <mpi.h>

#include "table.h"

/* Each function first leads to one that loads the backend, so that a process which never calls MPI
   (a shell between the launcher and the program) loads none. */
extern AbiTable abi_table;

/* Loads the backend and fills the table. Ends the process with the reason if that fails. */
void load_backend(void);

#endif
