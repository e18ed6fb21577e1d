// What the ranks of a job do: a sequence of operations each, some of which are graphs of
// operations.
#pragma once
#include "huge_pages.h"
#include "sequences.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankwise::sim
{

/// A graph's nodes are sends, receives and computations.
struct Graph {
    std::uint64_t first_node = 0, first_root = 0;
    std::uint32_t nodes = 0;
    std::uint32_t roots = 0; // those that wait for none
};

/// All that is asked of a node is side by side, for thousands of ranks are at a node each, and each
/// place that is looked at is a miss of the cache.
struct GraphNode {
    Operation operation;
    std::uint32_t predecessors = 0;    // how many it waits for
    std::uint32_t successors = 0;      // how many wait for it
    std::uint64_t first_successor = 0; // in Program::successors
};
static_assert(sizeof(GraphNode) == 32);

/// An edge to a node (numbered from the graph's first) that waits for the end of this one, or for
/// its start.
struct Successor {
    std::uint32_t node_and_start;

    std::uint32_t node() const
    {
        return node_and_start >> 1;
    }
    bool at_start() const
    {
        return node_and_start & 1;
    }
};

/// What a reader has to say of a program that means more than is simulated.
struct ProgramNotice {
    std::string what, text, remedy;
};

/// The program of a job.
struct Program {
    explicit Program(std::size_t ranks)
        : sequences(ranks), requests(ranks), wildcards(ranks), rows(ranks)
    {
    }

    Sequences sequences;
    std::vector<std::uint32_t> requests; // how many places a rank needs
    std::vector<char> wildcards;         // whether a rank receives from any source or any tag
    std::vector<char> rows;              // whether its sequence is a graph's: see series.cpp

    std::vector<std::uint32_t> any_lists;
    std::vector<std::uint32_t> large_tags; // those of 31 bits and more: see kFirstLargeTag
    std::vector<ProgramNotice> notices;

    std::vector<Graph> graphs;
    bool has_start_edges = false; // anything that waits for a node's start
    HugeVector<GraphNode> nodes;
    HugeVector<Successor> successors;
    HugeVector<std::uint32_t> roots;

    std::uint32_t ranks() const
    {
        return static_cast<std::uint32_t>(sequences.size());
    }
    void set_ranks(std::size_t ranks)
    {
        sequences.resize(ranks);
        requests.resize(ranks);
        wildcards.resize(ranks);
        rows.resize(ranks);
    }
    /// Make room for graphs of so many nodes and edges in all; what is not used costs nothing.
    void reserve_nodes(std::size_t count, std::size_t edges);
    /// Add an operation to a rank's sequence, and note what the rank will need for it.
    void add(std::uint32_t rank, Operation operation)
    {
        sequences.append(rank, operation);
        const Kind kind = operation.kind();
        const bool receives = kind == Kind::receive || kind == Kind::ireceive;
        if (kind == Kind::isend || kind == Kind::ireceive)
            requests[rank] = std::max(requests[rank], operation.request() + 1);
        if (receives && (operation.peer() == kAnySource || operation.tag() == kAnyTag))
            wildcards[rank] = true;
    }
    std::uint64_t operations() const;
    std::uint64_t messages() const;
    /// Return a tag as the program's file has it.
    std::int64_t tag_in_file(std::int32_t tag) const
    {
        return tag <= kFirstLargeTag ? large_tags[static_cast<std::size_t>(kFirstLargeTag - tag)]
                                     : std::int64_t{tag};
    }
};

/// Collects the nodes and edges of one graph after another; its memory serves all of them.
class GraphBuilder
{
  public:
    /// Return the node's number.
    std::uint32_t add(Operation node);
    /// `later` begins when `earlier` has ended, or has begun.
    void depend(std::uint32_t later, std::uint32_t earlier, bool at_start = false);
    std::uint32_t nodes() const
    {
        return static_cast<std::uint32_t>(nodes_.size());
    }
    /// Move another graph's nodes to this one, their tags shifted and their peers, if `ranks` is
    /// given, numbers in it; return the number of its first.
    std::uint32_t append(GraphBuilder &other, std::int32_t tag_shift,
                         const std::vector<std::uint32_t> *ranks = nullptr);
    /// Tell whether every node can begin some day: there is no circle.
    bool has_order();
    /// Make the graph the next operation of a rank, and begin another. A graph without nodes is
    /// none.
    void finish(Program &program, std::uint32_t rank);
    /// Make the graph all that a rank does, and begin another: in a row, which takes less memory
    /// and time, if its nodes wait for one another in groups.
    void finish_alone(Program &program, std::uint32_t rank);

  private:
    void clear();
    bool find_groups();
    bool has_wildcards() const;
    struct Edge {
        std::uint32_t earlier;
        Successor successor;
    };

    std::vector<GraphNode> nodes_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint32_t> groups_; // of each node, while finish_alone looks at them
};

} // namespace rankwise::sim
