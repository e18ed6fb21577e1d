// Graphs that are groups of operations one after another, as a sequence: a broadcast's receive,
// then its sends. That takes the same times, down to the order of what happens at once: see
// Engine::ends_later.
#include "program.h"

#include <algorithm>

namespace rankwise::sim
{

/// Number the groups: nodes wait for all of the group before theirs; false: they do not. Edges come
/// in the order of the later node or of the earlier one; so each group's nodes come to be able to
/// begin in their order, and an edge is there once.
bool GraphBuilder::find_groups()
{
    bool by_earlier = true, by_later = true;
    groups_.assign(nodes_.size(), 0);
    place_.assign(nodes_.size() + 1, 0); // of each node, how many of the group before it waits for
    for (std::size_t i = 0; i < edges_.size(); i++) {
        const std::uint32_t earlier = edges_[i].earlier, later = edges_[i].successor.node();
        if (earlier >= later || edges_[i].successor.at_start())
            return false;
        if (i > 0) {
            const auto before = std::pair(edges_[i - 1].earlier, edges_[i - 1].successor.node());
            by_earlier = by_earlier && before < std::pair(earlier, later);
            by_later =
                by_later && std::pair(before.second, before.first) < std::pair(later, earlier);
            if (!by_earlier && !by_later)
                return false;
        }
        const std::uint32_t group = groups_[earlier] + 1;
        if (group > groups_[later])
            place_[later] = 0;
        groups_[later] = std::max(groups_[later], group);
        place_[later] += group == groups_[later];
    }
    std::uint32_t size = 0, before = 0; // of the group of the node before, and of that before it
    for (std::size_t i = 0; i < nodes_.size(); i++) {
        if (i > 0 && groups_[i] != groups_[i - 1]) {
            if (groups_[i] != groups_[i - 1] + 1)
                return false;
            before = size;
            size = 0;
        }
        size++;
        if (groups_[i] > 0 && place_[i] != before)
            return false;
    }
    return true;
}

void GraphBuilder::finish_alone(Program &program, std::uint32_t rank)
{
    if (nodes_.empty())
        return;
    if (has_wildcards() || !find_groups()) {
        finish(program, rank);
        return;
    }
    program.rows[rank] = true;
    program.sequences.reserve(rank, nodes_.size() + groups_.back() + 1);
    for (std::size_t begin = 0, end = 0; begin < nodes_.size(); begin = end) {
        while (end < nodes_.size() && groups_[end] == groups_[begin])
            end++;
        if (end == begin + 1) {
            program.add(rank, nodes_[begin].operation);
            continue;
        }
        const std::uint32_t request = end < nodes_.size() ? kWaitedFor : 0;
        for (std::size_t i = begin; i < end; i++) {
            const Operation &one = nodes_[i].operation;
            const Kind kind = one.kind();
            program.add(rank, one.with(kind == Kind::send      ? Kind::isend
                                       : kind == Kind::receive ? Kind::ireceive
                                                               : kind,
                                       request));
        }
        program.add(rank, Operation::wait_all());
    }
    clear();
}

} // namespace rankwise::sim
