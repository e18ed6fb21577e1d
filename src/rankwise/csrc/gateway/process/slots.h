/* Memory of what programs get handles of. Its addresses are no native handle, for it is a mapping
 * of our own far above all numbers that libraries use. */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { REQUEST_SLOT = 1, GROUP_SLOT, MESSAGE_SLOT } SlotKind;
enum { SLOT_BYTES = 320, SLOT_COUNT = 1 << 20 };

extern char *slots_begin; /* NULL until there is one */

/* Zeroed but for its kind, which is the first field of whatever is in it; NULL: there is no more.
 */
void *take_slot(SlotKind kind);
void give_slot(void *slot);

static inline bool is_slot(const void *handle)
{
    return (uintptr_t)handle - (uintptr_t)slots_begin < (uintptr_t)SLOT_BYTES * SLOT_COUNT &&
           slots_begin;
}

/* What another process called this number: NULL unless it is a slot of this kind. */
void *slot_of_number(uint64_t number, SlotKind kind);
uint64_t number_of_slot(const void *slot);

#endif
