// Graphs that are groups of operations one after another, as a sequence: a broadcast's receive,
// then its sends. Only what takes the same times either way, down to the order of what happens at
// once: nodes of a group are sends, or there is one, and all fit into what a rank may do ahead of
// others.
#include "program.h"

#include <algorithm>

namespace rankwise::sim
{

namespace
{

constexpr std::size_t kLongest = 60; // nodes and waits; see kMostAhead in ranks.cpp

} // namespace

/// Number the groups: nodes wait for all of the group before theirs; false: they do not.
bool GraphBuilder::find_groups()
{
    groups_.assign(nodes_.size(), 0);
    place_.assign(nodes_.size() + 1, 0); // of each node, how many of the group before it waits for
    for (std::size_t i = 0; i < edges_.size(); i++) {
        const std::uint32_t earlier = edges_[i].earlier, later = edges_[i].successor.node();
        if (earlier >= later || edges_[i].successor.at_start())
            return false;
        if (i > 0 &&
            (later < edges_[i - 1].successor.node() ||
             (later == edges_[i - 1].successor.node() && earlier <= edges_[i - 1].earlier)))
            return false;
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

bool GraphBuilder::can_be_in_a_row() const
{
    std::size_t operations = nodes_.size();
    for (std::size_t i = 1; i < nodes_.size(); i++) {
        if (groups_[i] != groups_[i - 1])
            operations++;
        else if (nodes_[i].operation.kind() != Kind::send || nodes_[i - 1].operation.kind() != Kind::send)
            return false;
    }
    return operations < kLongest;
}

void GraphBuilder::finish_alone(Program &program, std::uint32_t rank)
{
    if (nodes_.size() >= kLongest || !find_groups() || !can_be_in_a_row()) {
        finish(program, rank);
        return;
    }
    program.sequences.reserve(rank, nodes_.size() + 1);
    for (std::size_t begin = 0, end = 0; begin < nodes_.size(); begin = end) {
        while (end < nodes_.size() && groups_[end] == groups_[begin])
            end++;
        if (end == begin + 1) {
            program.add(rank, nodes_[begin].operation);
            continue;
        }
        for (std::size_t i = begin; i < end; i++)
            program.add(rank, Operation::message(
                                  Kind::isend, nodes_[i].operation.peer(), nodes_[i].operation.tag(),
                                  nodes_[i].operation.bytes(), static_cast<std::uint32_t>(i - begin)));
        program.add(rank, Operation::wait_all());
    }
    clear();
}

} // namespace rankwise::sim
