#include "held.h"
#include "freeing.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { HELD_BUCKETS = 64 };

/* Stays until the program frees the handle: what is used again and again is entered once. */
typedef struct Held Held;
struct Held {
    uintptr_t handle;
    long holders;
    bool freed; /* by the program */
    Held *next; /* in its bucket */
};
typedef Held *Holding[HELD_BUCKETS];
static Holding types, ops;
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

static Held **place_of(Holding holding, uintptr_t handle)
{
    Held **place = &holding[(handle ^ handle >> 6 ^ handle >> 12) % HELD_BUCKETS];
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

static int hold(Holding holding, uintptr_t handle)
{
    pthread_mutex_lock(&looking);
    Held **place = place_of(holding, handle);
    if (!*place && (*place = calloc(1, sizeof **place)))
        (*place)->handle = handle;
    Held *held = *place;
    if (held)
        held->holders++;
    pthread_mutex_unlock(&looking);
    return held ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Whether the handle is to be freed now; with `by_program`, the program has just freed it. */
static bool let_go(Holding holding, uintptr_t handle, bool by_program)
{
    bool last = by_program;
    pthread_mutex_lock(&looking);
    Held **place = place_of(holding, handle), *held = *place;
    if (held) {
        held->holders -= !by_program;
        held->freed |= by_program;
        last = held->freed && !held->holders;
    }
    if (held && last) {
        *place = held->next;
        free(held);
    }
    pthread_mutex_unlock(&looking);
    return last;
}

int hold_type(MPI_Datatype type)
{
    return hold(types, (uintptr_t)type);
}

int hold_op(MPI_Op op)
{
    return hold(ops, (uintptr_t)op);
}

void release_type(MPI_Datatype type)
{
    if (let_go(types, (uintptr_t)type, false))
        really_free_type(&type);
}

void release_op(MPI_Op op)
{
    if (let_go(ops, (uintptr_t)op, false))
        really_free_op(&op);
}

int free_type(MPI_Datatype *type)
{
    if (let_go(types, (uintptr_t)*type, true))
        return really_free_type(type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int free_op(MPI_Op *op)
{
    if (let_go(ops, (uintptr_t)*op, true))
        return really_free_op(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
