/* What a front end and whatever is below it say to one another.

   A front end loads one library, which RANKWISE_ABI_BACKEND names, and calls its rankwise_abi_open.
   That is a backend, or a layer with the same entry that loads the next library itself and puts
   functions of its own into the table. */
#ifndef ENTRY_H
#define ENTRY_H

#include <stddef.h>

#define ENTRY "rankwise_abi_open"
#define BACKEND_VARIABLE "RANKWISE_ABI_BACKEND"

/* Fills the `bytes` bytes of a table whose functions are those of `version`. Returns NULL, or what
   is wrong. */
typedef const char *Entry(void *table, size_t bytes, const char *version);

#endif
