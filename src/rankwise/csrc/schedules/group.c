/* Ranks that work together, how a vector is divided among them, and whom each meets when they
 * exchange in pairs. */
#include "group.h"

Group all_ranks(const Problem *p)
{
    return all_ranks_from(p, 0);
}

Group all_ranks_from(const Problem *p, int first)
{
    return (Group){.size = p->ranks,
                   .me = (p->rank - first + p->ranks) % p->ranks,
                   .first = first,
                   .all = p->ranks};
}

Group some_ranks(const int *ranks, int size, int me)
{
    return (Group){.ranks = ranks, .size = size, .me = me};
}

int member(const Group *g, int number)
{
    const int at = number < g->folded ? 2 * number + 1 : number + g->folded;
    return g->ranks ? g->ranks[at] : (int)(((int64_t)g->first + at) % g->all);
}

Group fold(const Group *g, int size)
{
    Group folded = *g;
    folded.size = size;
    folded.folded = g->size - size;
    if (g->me >= 2 * folded.folded)
        folded.me = g->me - folded.folded;
    else
        folded.me = g->me % 2 ? g->me / 2 : -1;
    return folded;
}

int folded_with(const Group *g, int size)
{
    return g->me < 2 * (g->size - size) ? member(g, g->me ^ 1) : -1;
}

int power_of_two(int size)
{
    int power = 1;
    while (power <= size / 2)
        power *= 2;
    return power;
}

Parts equal_parts(int64_t length, int parts)
{
    return (Parts){.length = length, .parts = parts};
}

int64_t start_of_part(const Parts *p, int part)
{
    const int unit = part + (part < p->folded ? part : p->folded);
    return p->starts ? p->starts[unit] : part_start(p->length, p->parts + p->folded, unit);
}

int64_t parts_between(const Parts *p, int begin, int end)
{
    return start_of_part(p, end) - start_of_part(p, begin);
}

Pairing far_first(const Group *g)
{
    Pairing pairing = {.part = g->me};
    for (int away = g->size / 2; away > 0; away /= 2) {
        pairing.partner[pairing.rounds] = member(g, g->me ^ away);
        pairing.before[pairing.rounds++] = (g->me & away) != 0;
    }
    return pairing;
}

/* The bits of a member's number are decided on in the reverse order, and so are its part's. */
Pairing near_first(const Group *g)
{
    Pairing pairing = {.part = 0};
    for (int away = 1; away < g->size; away *= 2) {
        pairing.part = 2 * pairing.part + ((g->me & away) != 0);
        pairing.partner[pairing.rounds] = member(g, g->me ^ away);
        pairing.before[pairing.rounds++] = (g->me & away) != 0;
    }
    return pairing;
}

/* Members that still share parts in round i have the same even number mod 2^(i + 1) among those
 * that they reach by the pairs of the rounds from i on: for an odd member that of its partner. */
Pairing swing(const Group *g)
{
    const int mask = g->size - 1, odd = g->me & 1;
    Pairing pairing = {.part = 0};
    int away = 1, change = -2;
    for (int size = g->size; size > 1; size /= 2, away += change, change *= -2)
        pairing.partner[pairing.rounds++] = member(g, (odd ? g->me - away : g->me + away) & mask);
    away -= change / -2; /* of the last round */
    const int even = (odd ? g->me - away : g->me) & mask;
    for (int bit = 2; bit < g->size; bit *= 2)
        pairing.part = 2 * pairing.part + ((even & bit) != 0);
    if (g->size > 1)
        pairing.part = 2 * pairing.part + odd;
    return pairing;
}
