/* Predefined handles: from the standard's value to the native one, and back. */
#include "backend.h"

enum { SLOTS = 1024 }; /* at least four times as many as there are predefined handles */

uintptr_t native_handles[PREDEFINED];

static struct {
    uintptr_t native, abi; /* abi is 0 in a slot that is free */
} slots[SLOTS];

static unsigned slot_of(uintptr_t native)
{
    return (unsigned)(((native >> 3) * 2654435761u ^ native * 40503u ^ native >> 20) % SLOTS);
}

/* Some headers define what they do not have as their null handle, and some have two names for one:
   a native handle leads back to the first. */
void define_handle(uintptr_t abi, uintptr_t native)
{
    native_handles[abi] = native;
    unsigned i = slot_of(native);
    while (slots[i].abi && slots[i].native != native)
        i = (i + 1) % SLOTS;
    if (slots[i].abi)
        return;
    slots[i].native = native;
    slots[i].abi = abi;
}

uintptr_t predefined_of(uintptr_t native)
{
    for (unsigned i = slot_of(native); slots[i].abi; i = (i + 1) % SLOTS)
        if (slots[i].native == native)
            return slots[i].abi;
    return native;
}
