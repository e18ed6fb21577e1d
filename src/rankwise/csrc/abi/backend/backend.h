/* A backend: the functions of the standard ABI by those of the MPI that it is compiled with.

   What is called `to_` turns something of the standard's into that MPI's, `from_` the other way.
   table.h is generated: types of the table, and conversions of handles and constants. */
#ifndef BACKEND_H
#define BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "contents.h"
#include "failures.h"
#include "large_counts.h"
#include "peers.h"
#include "scratch.h"
#include "statuses.h"
#include "table.h"
#include "values.h"

extern const AbiTable backend_table;
extern const char *const function_names[];
extern const int function_count;

/* Generated: calls define_handle and define_error for all that both sides know. */
void define_constants(void);
void define_handle(uintptr_t abi, uintptr_t native);

#endif
