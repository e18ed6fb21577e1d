#include "requests.h"
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, FIRST_ROOM = 256 };

static struct {
    Request *slots;
    int room, lowest;
    int first[BUCKETS], last[BUCKETS]; /* a slot + 1, or 0 */
} g;

static int bucket_of(MPI_Request handle)
{
    uint64_t bits = 0;
    memcpy(&bits, &handle, sizeof handle);
    return (int)(bits * 0x9E3779B97F4A7C15u >> 52);
}

int request_room(void)
{
    return g.room;
}

Request *request_in(int slot)
{
    return &g.slots[slot];
}

int add_request(const Request *request)
{
    int slot = g.lowest;
    while (slot < g.room && g.slots[slot].used)
        slot++;
    if (slot == g.room) {
        const int room = g.room ? 2 * g.room : FIRST_ROOM;
        Request *more = realloc(g.slots, (size_t)room * sizeof *more);
        if (!more)
            return -1;
        memset(more + g.room, 0, (size_t)(room - g.room) * sizeof *more);
        g.slots = more;
        g.room = room;
    }
    const int bucket = bucket_of(request->handle);
    g.slots[slot] = *request;
    g.slots[slot].used = true;
    g.slots[slot].next = 0;
    if (g.last[bucket])
        g.slots[g.last[bucket] - 1].next = slot + 1;
    else
        g.first[bucket] = slot + 1;
    g.last[bucket] = slot + 1;
    g.lowest = slot + 1;
    return slot;
}

int find_request(MPI_Request handle, const bool *taken)
{
    for (int one = g.first[bucket_of(handle)]; one; one = g.slots[one - 1].next)
        if (g.slots[one - 1].handle == handle && !(taken && taken[one - 1]))
            return one - 1;
    return -1;
}

void remove_request(int slot)
{
    const int bucket = bucket_of(g.slots[slot].handle);
    int before = 0, one = g.first[bucket];
    while (one != slot + 1) {
        before = one;
        one = g.slots[one - 1].next;
    }
    if (before)
        g.slots[before - 1].next = g.slots[slot].next;
    else
        g.first[bucket] = g.slots[slot].next;
    if (g.last[bucket] == slot + 1)
        g.last[bucket] = before;
    g.slots[slot].used = false;
    if (slot < g.lowest)
        g.lowest = slot;
}
