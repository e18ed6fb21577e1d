// From the whole machine down to its innermost groups: cut in two, and again, then swap.
#pragma once
#include "annealing.h"

namespace rankwise::map
{

/// Return the slot of each vertex: the graph is cut where the machine is.
std::vector<Index> placed_by_cuts(const Problem &problem, Random &random);

struct Found {
    const char *start;
    std::vector<Index> slot_of;
};

/// Return the cheapest placement of `rounds` that begin with cuts, and one that begins with where
/// ranks are now. After `until` no round begins and no more swaps are tried; the first cut is made
/// in any case.
std::vector<Found> search(const Problem &problem, int rounds, Moment until);

} // namespace rankwise::map
