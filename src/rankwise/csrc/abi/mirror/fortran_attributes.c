/* Attributes of Fortran: their values are integers, and functions that copy them have an argument
   more. Those of MPI-1 are default integers, the others as wide as an address. */
#include <stdlib.h>

#include "fortran.h"

typedef void WideCopy(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Aint *, MPI_Fint *,
                      MPI_Fint *);
typedef void WideDelete(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Fint *);
typedef void NarrowCopy(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                        MPI_Fint *);
typedef void NarrowDelete(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);

typedef struct {
    void *copy, *destroy;
    MPI_Aint extra;
    int narrow;
} Functions;

static int run_copy(const Functions *user, MPI_Fint handle, MPI_Fint keyval, void *in, void *out,
                    int *flag)
{
    MPI_Fint copied = 0, code = MPI_SUCCESS;
    MPI_Aint extra = user->extra, value = (MPI_Aint)in, new = 0;
    if (user->narrow) {
        MPI_Fint few = (MPI_Fint)extra, old = (MPI_Fint)value, made = 0;
        ((NarrowCopy *)user->copy)(&handle, &keyval, &few, &old, &made, &copied, &code);
        new = made;
    } else {
        ((WideCopy *)user->copy)(&handle, &keyval, &extra, &value, &new, &copied, &code);
    }
    *flag = copied != 0;
    if (copied)
        *(void **)out = (void *)new;
    return from_error(code);
}

static int run_delete(const Functions *user, MPI_Fint handle, MPI_Fint keyval, void *value)
{
    MPI_Fint code = MPI_SUCCESS;
    MPI_Aint extra = user->extra, wide = (MPI_Aint)value;
    if (user->narrow) {
        MPI_Fint few = (MPI_Fint)extra, old = (MPI_Fint)wide;
        ((NarrowDelete *)user->destroy)(&handle, &keyval, &old, &few, &code);
    } else {
        ((WideDelete *)user->destroy)(&handle, &keyval, &wide, &extra, &code);
    }
    return from_error(code);
}

/* The standard's key; those that are predefined have numbers of their own in some MPIs' Fortran. */
extern const Predefined fortran_keyval[];

static int key_of(MPI_Fint keyval)
{
    const int predefined = (int)standard_of(fortran_keyval, keyval);
    return predefined ? predefined : from_keyval(keyval);
}

#define ATTRIBUTES(Kind, Name, name)                                                               \
    static int copy_##Kind(ABI_##Kind handle, int keyval, void *extra, void *in, void *out,        \
                           int *flag)                                                              \
    {                                                                                              \
        return run_copy(extra, MPI_##Name##_c2f(to_##Kind(handle)), to_keyval(keyval), in, out,    \
                        flag);                                                                     \
    }                                                                                              \
    static int delete_##Kind(ABI_##Kind handle, int keyval, void *value, void *extra)              \
    {                                                                                              \
        return run_delete(extra, MPI_##Name##_c2f(to_##Kind(handle)), to_keyval(keyval), value);   \
    }                                                                                              \
    static int create_##Kind(Functions functions, MPI_Fint *keyval)                                \
    {                                                                                              \
        Functions *const user =                                                                    \
            malloc(sizeof *user); /* for good: an attribute outlives its key */                    \
        int made = ABI_KEYVAL_INVALID;                                                             \
        if (!user)                                                                                 \
            return refuse_Comm(MPI_ERR_NO_MEM, ABI_COMM_SELF);                                     \
        *user = functions;                                                                         \
        const int code = abi_table.Name##_create_keyval(copy_##Kind, delete_##Kind, &made, user);  \
        *keyval = to_keyval(made);                                                                 \
        return to_code(code);                                                                      \
    }                                                                                              \
    FORTRAN(name##_create_keyval, WideCopy *copy, WideDelete *destroy, MPI_Fint *keyval,           \
            MPI_Aint *extra, MPI_Fint *code)                                                       \
    {                                                                                              \
        *code = create_##Kind((Functions){(void *)copy, (void *)destroy, *extra, 0}, keyval);      \
    }                                                                                              \
    static int set_##Kind(MPI_Fint handle, MPI_Fint keyval, MPI_Aint value)                        \
    {                                                                                              \
        return to_code(abi_table.Name##_set_attr(from_##Kind(MPI_##Name##_f2c(handle)),            \
                                                 key_of(keyval), (void *)value));                  \
    }                                                                                              \
    FORTRAN(name##_set_attr, MPI_Fint *handle, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *code)  \
    {                                                                                              \
        *code = set_##Kind(*handle, *keyval, *value);                                              \
    }

#ifndef KNOWS_ERR_NO_MEM
#define MPI_ERR_NO_MEM MPI_ERR_OTHER
#endif

ATTRIBUTES(Comm, Comm, comm)
ATTRIBUTES(Datatype, Type, type)
ATTRIBUTES(Win, Win, win)

/* What is predefined is the address of an int in C. */
static int is_predefined(int key)
{
    return key >= ABI_TAG_UB && key <= ABI_WIN_MODEL;
}

static int get_Comm(MPI_Fint comm, MPI_Fint keyval, MPI_Aint *value, MPI_Fint *flag)
{
    void *found = NULL;
    int there = 0;
    const int key = key_of(keyval),
              code = call_Comm_get_attr(MPI_Comm_f2c(comm), to_keyval(key), &found, &there);
    *flag = !code && there;
    if (*flag)
        *value = is_predefined(key) ? *(int *)found : (MPI_Aint)found;
    return code;
}

FORTRAN(comm_get_attr, MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag,
        MPI_Fint *code)
{
    *code = get_Comm(*comm, *keyval, value, flag);
}

FORTRAN(type_get_attr, MPI_Fint *type, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag,
        MPI_Fint *code)
{
    void *found = NULL;
    int there = 0;
    *code = to_code(abi_table.Type_get_attr(from_Datatype(MPI_Type_f2c(*type)), key_of(*keyval),
                                            &found, &there));
    *flag = !*code && there;
    if (*flag)
        *value = (MPI_Aint)found;
}

FORTRAN(win_get_attr, MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag,
        MPI_Fint *code)
{
    void *found = NULL;
    int there = 0;
    const int key = key_of(*keyval);
    *code = call_Win_get_attr(MPI_Win_f2c(*win), to_keyval(key), &found, &there);
    *flag = !*code && there;
    if (!*flag)
        return;
    *value = (MPI_Aint)found;
    if (key == ABI_WIN_SIZE)
        *value = *(MPI_Aint *)found;
    else if (is_predefined(key) && key != ABI_WIN_BASE)
        *value = *(int *)found;
}

/* Of MPI-1. */
FORTRAN(keyval_create, NarrowCopy *copy, NarrowDelete *destroy, MPI_Fint *keyval, MPI_Fint *extra,
        MPI_Fint *code)
{
    *code = create_Comm((Functions){(void *)copy, (void *)destroy, *extra, 1}, keyval);
}

FORTRAN(attr_put, MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *code)
{
    *code = set_Comm(*comm, *keyval, *value);
}

FORTRAN(attr_get, MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *flag, MPI_Fint *code)
{
    MPI_Aint wide = 0;
    *code = get_Comm(*comm, *keyval, &wide, flag);
    if (*flag)
        *value = (MPI_Fint)wide;
}
