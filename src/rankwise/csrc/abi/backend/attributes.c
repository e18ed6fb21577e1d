/* Attributes: the program's functions travel in the extra state, and some values are constants. */
#include <stdlib.h>

#include "backend.h"
#include "pool.h"

typedef struct {
    AnyFunction *copy, *destroy;
    void *extra;
} Functions;

#ifdef MIRROR
#define LAST_CODE(code) from_error(code)
#else
#define LAST_CODE(code) last_added_error()
#endif

/* MPI_COMM_DUP_FN and its like; MPI_COMM_NULL_COPY_FN is a null pointer. */
#define DUPLICATE ((AnyFunction *)ABI_COMM_DUP_FN)

#define ATTRIBUTES(Kind, Name)                                                                     \
    static int copy_##Kind(MPI_##Kind handle, int keyval, void *extra, void *in, void *out,        \
                           int *flag)                                                              \
    {                                                                                              \
        const Functions *const user = extra;                                                       \
        *flag = user->copy == DUPLICATE;                                                           \
        if (*flag)                                                                                 \
            *(void **)out = in;                                                                    \
        if (!user->copy || *flag)                                                                  \
            return MPI_SUCCESS;                                                                    \
        return to_error(((ABI_##Name##_copy_attr_function *)user->copy)(                           \
            from_##Kind(handle), from_keyval(keyval), user->extra, in, out, flag));                \
    }                                                                                              \
    static int destroy_##Kind(MPI_##Kind handle, int keyval, void *value, void *extra)             \
    {                                                                                              \
        const Functions *const user = extra;                                                       \
        if (!user->destroy)                                                                        \
            return MPI_SUCCESS;                                                                    \
        return to_error(((ABI_##Name##_delete_attr_function *)user->destroy)(                      \
            from_##Kind(handle), from_keyval(keyval), value, user->extra));                        \
    }                                                                                              \
    int call_##Name##_create_keyval(ABI_##Name##_copy_attr_function *copy,                         \
                                    ABI_##Name##_delete_attr_function *destroy, int *keyval,       \
                                    void *extra)                                                   \
    {                                                                                              \
        Functions *const user =                                                                    \
            malloc(sizeof *user); /* for good: an attribute outlives its key */                    \
        if (!user)                                                                                 \
            return refuse_Comm(ABI_ERR_NO_MEM, MPI_COMM_SELF);                                     \
        *user = (Functions){(AnyFunction *)copy, (AnyFunction *)destroy, extra};                   \
        int made = MPI_KEYVAL_INVALID;                                                             \
        const int code =                                                                           \
            PMPI_##Name##_create_keyval(copy_##Kind, destroy_##Kind, keyval ? &made : NULL, user); \
        if (!code && keyval)                                                                       \
            *keyval = from_keyval(made);                                                           \
        return from_code(code);                                                                    \
    }

ATTRIBUTES(Comm, Comm)
ATTRIBUTES(Datatype, Type)
ATTRIBUTES(Win, Win)

int call_Keyval_create(ABI_Copy_function *copy, ABI_Delete_function *destroy, int *keyval,
                       void *extra)
{
    return call_Comm_create_keyval((ABI_Comm_copy_attr_function *)copy,
                                   (ABI_Comm_delete_attr_function *)destroy, keyval, extra);
}

/* Makes the attribute point to `number`, in memory that lasts: a slot for each of its few values.
 */
static void point_to(void *attribute, int *slot, int number)
{
    *slot = number;
    *(int **)attribute = slot;
}

int call_Comm_get_attr(ABI_Comm comm, int keyval, void *attribute, int *flag)
{
    static int io, host;
    static __attribute__((unused)) int last;
    const int code = PMPI_Comm_get_attr(to_Comm(comm), to_keyval(keyval), attribute, flag);
    if (code || !*flag)
        return from_code(code);
    const int *const value = *(int **)attribute;
    if (keyval == ABI_IO)
        point_to(attribute, &io, from_rank(*value));
    else if (keyval == ABI_HOST)
        point_to(attribute, &host, from_rank(*value));
#if defined(KNOWS_LASTUSEDCODE) || !defined(MIRROR)
    else if (keyval == ABI_LASTUSEDCODE)
        point_to(attribute, &last, LAST_CODE(*value));
#endif
    return ABI_SUCCESS;
}

int call_Attr_get(ABI_Comm comm, int keyval, void *attribute, int *flag)
{
    return call_Comm_get_attr(comm, keyval, attribute, flag);
}

int call_Win_get_attr(ABI_Win win, int keyval, void *attribute, int *flag)
{
    const int code = PMPI_Win_get_attr(to_Win(win), to_keyval(keyval), attribute, flag);
    if (code || !*flag)
        return from_code(code);
#if defined(KNOWS_WIN_MODEL) || !defined(MIRROR)
    static int flavors[8], models[8];
    const int *const value = *(int **)attribute;
    if (keyval == ABI_WIN_CREATE_FLAVOR) {
        const int flavor = from_flavor(*value);
        point_to(attribute, &flavors[flavor & 7], flavor);
    } else if (keyval == ABI_WIN_MODEL) {
        const int model = from_model(*value);
        point_to(attribute, &models[model & 7], model);
    }
#endif
    return ABI_SUCCESS;
}
