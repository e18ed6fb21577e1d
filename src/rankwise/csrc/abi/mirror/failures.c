/* Error codes and strings of a mirror: the table's codes are classes of the standard's, or larger
   numbers that only the table can explain. Those have to be above the MPI's own MPI_ERR_LASTCODE.
 */
#include <stdio.h>
#include <string.h>

#include "mirror.h"

enum {
    NATIVE_CLASSES = 1024,
    BEYOND = MPI_ERR_LASTCODE >= 8 * NATIVE_CLASSES ? MPI_ERR_LASTCODE : 0
};

static int native_of[ERROR_CLASSES], abi_of[NATIVE_CLASSES];

void define_error(int abi, int native)
{
    native_of[abi] = native;
    if (native >= 0 && native < NATIVE_CLASSES && !abi_of[native])
        abi_of[native] = abi;
}

int to_error(int code)
{
    if (code == ABI_ERR_LASTCODE)
        return MPI_ERR_LASTCODE;
    if (code <= 0 || code >= ERROR_CLASSES)
        return code <= 0 ? code : code + BEYOND;
    return native_of[code] ? native_of[code] : MPI_ERR_OTHER;
}

int from_error(int native)
{
    if (native > 0 && native < NATIVE_CLASSES && abi_of[native])
        return abi_of[native];
    return native > BEYOND ? native - BEYOND : native;
}

int to_added_error(int code)
{
    return to_error(code);
}

int error_class_of(int code)
{
    return code;
}

int told_instead(void)
{
    return 0;
}

int refuse_Comm(int native, ABI_Comm comm)
{
    abi_table.Comm_call_errhandler(comm, from_error(native));
    return native;
}

void copy_string(const char *from, char *to, int room, int *length)
{
    snprintf(to, (size_t)room, "%s", from);
    if (length && *length >= room)
        *length = (int)strlen(to);
}
