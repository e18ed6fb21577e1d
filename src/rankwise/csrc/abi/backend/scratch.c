/* Arrays of a call in another form, and which of them a request still needs. */
#include "scratch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ABSURD ((size_t)1 << 40) /* of a negative count, which the library itself will refuse */

struct Block {
    Block *next;
    bool kept;
    char bytes[] __attribute__((aligned(16)));
};

typedef struct Kept {
    struct Kept *next;
    uintptr_t request;
    Block *blocks;
} Kept;

static Kept *all_kept;
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
int kept_count;

static void free_blocks(Block *block)
{
    while (block) {
        Block *const next = block->next;
        free(block);
        block = next;
    }
}

void scratch_end(Scratch *scratch)
{
    free_blocks(scratch->blocks);
}

static void *needed(void *memory)
{
    if (memory)
        return memory;
    fprintf(stderr, "libmpi_abi: out of memory\n");
    abort();
}

void *scratch_take(Scratch *scratch, size_t bytes, bool kept)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > ABSURD)
        return scratch->few;
    if (!kept && scratch->used + bytes <= sizeof scratch->few) {
        scratch->used += bytes;
        return scratch->few + scratch->used - bytes;
    }
    Block *const block = needed(malloc(sizeof *block + bytes));
    *block = (Block){.next = scratch->blocks, .kept = kept};
    scratch->blocks = block;
    return block->bytes;
}

/* Requests that have ended already may share one handle: then whichever is waited for first
   releases the arrays of all of them, which nobody needs any more. */
void scratch_keep(Scratch *scratch, uintptr_t request)
{
    if (!scratch->blocks || request == HANDLE_BITS(MPI_REQUEST_NULL))
        return;
    Kept *const one = needed(malloc(sizeof *one));
    one->request = request;
    one->blocks = scratch->blocks;
    scratch->blocks = NULL;
    pthread_mutex_lock(&keeping);
    one->next = all_kept;
    all_kept = one;
    kept_count++;
    pthread_mutex_unlock(&keeping);
}

void release_kept(uintptr_t request)
{
    pthread_mutex_lock(&keeping);
    for (Kept **place = &all_kept; *place;) {
        Kept *const one = *place;
        if (one->request != request) {
            place = &one->next;
            continue;
        }
        *place = one->next;
        kept_count--;
        free_blocks(one->blocks);
        free(one);
    }
    pthread_mutex_unlock(&keeping);
}
