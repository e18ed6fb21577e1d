/* Attributes of MPI_COMM_SELF: in MPI_Finalize their deletion comes first of all, and may still
 * send to other sites. The library would do it when the connections are closed, so it is done
 * before. */
#include "own_attributes.h"

#include <stdlib.h>

#include "calls.h"

static struct {
    int *keys; /* in the order in which they were set */
    int count, room;
} own;

static int place_of(int key)
{
    int i = 0;
    while (i < own.count && own.keys[i] != key)
        i++;
    return i;
}

static void forget(MPI_Comm comm, int key)
{
    if (comm != MPI_COMM_SELF)
        return;
    int i = place_of(key);
    if (i == own.count)
        return;
    own.count--;
    for (; i < own.count; i++)
        own.keys[i] = own.keys[i + 1];
}

static void remember(MPI_Comm comm, int key)
{
    if (comm != MPI_COMM_SELF)
        return;
    forget(comm, key);
    if (own.count == own.room) {
        int *const more = realloc(own.keys, (size_t)(own.room + 8) * sizeof *more);
        if (!more)
            return; /* the library deletes it then */
        own.keys = more;
        own.room += 8;
    }
    own.keys[own.count++] = key;
}

int call_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
    const int code = below.Comm_set_attr(comm, comm_keyval, attribute_val);
    if (code == MPI_SUCCESS)
        remember(comm, comm_keyval);
    return code;
}

int call_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
    const int code = below.Attr_put(comm, keyval, attribute_val);
    if (code == MPI_SUCCESS)
        remember(comm, keyval);
    return code;
}

int call_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
    const int code = below.Comm_delete_attr(comm, comm_keyval);
    if (code == MPI_SUCCESS)
        forget(comm, comm_keyval);
    return code;
}

int call_Attr_delete(MPI_Comm comm, int keyval)
{
    const int code = below.Attr_delete(comm, keyval);
    if (code == MPI_SUCCESS)
        forget(comm, keyval);
    return code;
}

/* One that is in use lives on until the attribute is deleted, which needs it. */
static bool is_kept(int *key)
{
    if (place_of(*key) == own.count)
        return false;
    *key = MPI_KEYVAL_INVALID;
    return true;
}

int call_Comm_free_keyval(int *comm_keyval)
{
    return is_kept(comm_keyval) ? MPI_SUCCESS : below.Comm_free_keyval(comm_keyval);
}

int call_Keyval_free(int *keyval)
{
    return is_kept(keyval) ? MPI_SUCCESS : below.Keyval_free(keyval);
}

/* The last one that was set goes first. */
void delete_own_attributes(void)
{
    while (own.count)
        below.Comm_delete_attr(MPI_COMM_SELF, own.keys[--own.count]);
}
