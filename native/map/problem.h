// What is to be placed where: the file that `rankwise-map` reads.
#pragma once
#include "graph.h"
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rankwise::map
{

inline constexpr int kMostLevels = 4;

/// The groups that a slot is in, the innermost (package or node) first, the outermost (site) last.
using Groups = std::array<Index, kMostLevels>;

/// There are as many vertices as slots; one without edges stands for a slot that stays free.
struct Problem {
    Graph graph;
    int levels = 0;
    /// Of each slot; the slots of a group are neighbours, and groups are nested.
    std::vector<Groups> groups;
    /// By how much two ranks are farther apart if they are not in one group of a level.
    std::array<float, kMostLevels> step = {};
    std::vector<Index> now; // the slot of each vertex
    std::vector<std::uint8_t> pinned;
    int pin_level = 0; // pinned vertices stay in their group of this level

    Index slots() const
    {
        return static_cast<Index>(groups.size());
    }
    /// Return the first slot of the group of a level that a slot is in, and the one after its last.
    std::pair<Index, Index> range(Index slot, int level) const;
};

/// Return the weights times what ranks are farther apart than within the innermost group.
double cost(const Problem &problem, const std::vector<Index> &slot_of);

/// Read a file. Throws Error (exit code 2) for one that is damaged or contradicts itself.
Problem read_problem(const std::string &file);

} // namespace rankwise::map
