// Swaps of two ranks that make a placement cheaper, and at first a few that do not: simulated
// annealing (Kirkpatrick, Gelatt and Vecchi 1983) from so low a temperature that what is good
// stays.
#pragma once
#include "problem.h"
#include <chrono>

namespace rankwise::map
{

using Moment = std::chrono::steady_clock::time_point;

/// Return the cheapest placement that swaps have led to, from `slot_of`, which is a slot for each
/// vertex. Pinned vertices stay. After `until` no more swaps are tried.
std::vector<Index> annealed(const Problem &problem, std::vector<Index> slot_of, Random &random,
                            Moment until);

} // namespace rankwise::map
