/* Handles are freed when the program has freed them and nobody holds them any more: neither sooner,
 * nor later, nor twice. */
#include "check.h"
#include "freeing.h"
#include "held.h"
#include <pthread.h>
#include <stdbool.h>

enum { HANDLES = 150, STEPS = 200000, THREADS = 4, TURNS = 20000 };

static int freed_types[HANDLES + 1], freed_ops[HANDLES + 1];

int really_free_type(MPI_Datatype *type)
{
    __atomic_add_fetch(&freed_types[(uintptr_t)*type / 64], 1, __ATOMIC_RELAXED);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int really_free_op(MPI_Op *op)
{
    __atomic_add_fetch(&freed_ops[(uintptr_t)*op / 64], 1, __ATOMIC_RELAXED);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

static MPI_Datatype type_of(int number)
{
    return (MPI_Datatype)((uintptr_t)number * 64);
}

/* What the program has freed may be a new handle after it has really gone. */
static void against_counting(void)
{
    int holders[HANDLES] = {0}, expected[HANDLES] = {0};
    bool freed[HANDLES] = {false};
    for (int step = 0; step < STEPS; step++) {
        const int n = draw(HANDLES), what = draw(4);
        MPI_Datatype type = type_of(n);
        if (what == 0 && !freed[n]) {
            CHECK(free_type(&type) == MPI_SUCCESS && type == MPI_DATATYPE_NULL);
            freed[n] = true;
        } else if (what == 1 && holders[n]) {
            release_type(type);
            holders[n]--;
        } else if (what > 1 && !freed[n]) {
            CHECK(hold_type(type) == MPI_SUCCESS);
            holders[n]++;
        }
        if (freed[n] && !holders[n]) {
            expected[n]++;
            freed[n] = false;
        }
        CHECK(freed_types[n] == expected[n]);
    }
    for (int n = 0; n < HANDLES; n++) { /* all of it goes: the leak checker looks as well */
        MPI_Datatype type = type_of(n);
        while (holders[n]--)
            release_type(type);
        if (!freed[n])
            free_type(&type);
        CHECK(freed_types[n] == expected[n] + 1);
    }
}

static void *use(void *nothing)
{
    for (int i = 0; i < TURNS; i++) {
        hold_op((MPI_Op)type_of(HANDLES));
        release_op((MPI_Op)type_of(HANDLES));
    }
    return nothing;
}

static void by_threads(void)
{
    pthread_t thread[THREADS];
    MPI_Op op = (MPI_Op)type_of(HANDLES);
    CHECK(hold_op(op) == MPI_SUCCESS);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, use, NULL);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    CHECK(free_op(&op) == MPI_SUCCESS && freed_ops[HANDLES] == 0);
    release_op((MPI_Op)type_of(HANDLES));
    CHECK(freed_ops[HANDLES] == 1);
}

int main(void)
{
    against_counting();
    by_threads();
    return failures != 0;
}
