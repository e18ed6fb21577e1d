#include "slots.h"
#include <string.h>
#include <sys/mman.h>

char *slots_begin;
static void *unused;    /* each begins with the next one's address */
static uint64_t so_far; /* have ever been taken */

typedef struct {
    SlotKind kind;
} Any;

void *take_slot(SlotKind kind)
{
    if (!slots_begin) {
        void *memory = mmap(NULL, (size_t)SLOT_BYTES * SLOT_COUNT, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return NULL;
        slots_begin = memory;
    }
    void *slot = unused;
    if (slot)
        memcpy(&unused, slot, sizeof unused);
    else if (so_far < SLOT_COUNT)
        slot = slots_begin + so_far++ * SLOT_BYTES;
    else
        return NULL;
    memset(slot, 0, SLOT_BYTES);
    ((Any *)slot)->kind = kind;
    return slot;
}

void give_slot(void *slot)
{
    memset(slot, 0, SLOT_BYTES);
    memcpy(slot, &unused, sizeof unused);
    unused = slot;
}

uint64_t number_of_slot(const void *slot)
{
    return (uint64_t)((const char *)slot - slots_begin) / SLOT_BYTES;
}

void *slot_of_number(uint64_t number, SlotKind kind)
{
    if (number >= so_far)
        return NULL;
    Any *slot = (Any *)(slots_begin + number * SLOT_BYTES);
    return slot->kind == kind ? slot : NULL;
}
