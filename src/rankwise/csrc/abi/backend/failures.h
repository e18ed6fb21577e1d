/* Error codes: the standard's class for whatever the MPI returns, and our own refusals (table.h:
 * MISSING_). */
#ifndef FAILURES_H
#define FAILURES_H

#include "table.h"

enum {
    ERROR_CLASSES = 1024, /* the standard's are below this */
    ADDED_ERRORS = 0x4000 /* and above: classes and codes that the program added */
};

extern const char *const error_names[ERROR_CLASSES];

void define_error(int abi, int native);

/* The native error of a code of the standard's. */
int to_error(int code);
int from_error(int native);
int from_added_error(int native);

/* The largest code so far: what MPI_LASTUSEDCODE is. */
int last_added_error(void);
int error_class_of(int native);

static inline int from_code(int native)
{
    return native == MPI_SUCCESS ? ABI_SUCCESS : from_error(native);
}

/* An error of ours goes to the handler of the communicator, window or file, and is returned. One
   that is fatal says first what it is: the native library knows only of a class. */
int refuse_Comm(int code, MPI_Comm comm);
#ifdef KNOWS_WIN_NULL
int refuse_Win(int code, MPI_Win win);
#endif
#ifdef KNOWS_FILE_NULL
int refuse_File(int code, MPI_File file);
#endif

/* What a handler is to be told instead of the native code, 0 for nothing. */
int told_instead(void);

#endif
