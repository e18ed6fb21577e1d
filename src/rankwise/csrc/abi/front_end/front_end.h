/* What programs call: libmpi_abi.so.1, or the mirror of an MPI. */
#ifndef FRONT_END_H
#define FRONT_END_H

#include "table.h"

/* Each function first leads to one that loads the backend, so that a process which never calls MPI
   (a shell between the launcher and the program) loads none. */
extern AbiTable abi_table;

/* Whether all handles of what is below fit in an int as they are. */
extern int abi_integers;

/* Loads the backend and fills the table. Ends the process with the reason if that fails. */
void load_backend(void);

#endif
