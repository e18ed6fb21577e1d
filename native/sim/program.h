// What the ranks of a job do: a sequence of operations each, some of which are graphs of
// operations.
#pragma once
#include "huge_pages.h"
#include "picoseconds.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rankwise::sim
{

enum class Kind : std::uint8_t {
    send,
    receive,
    isend,
    ireceive,
    wait,
    wait_all,
    wait_any,
    compute,
    until, // nothing, up to this time
    graph
};

inline constexpr std::uint32_t kAnySource = 0xffffffff;
inline constexpr std::int32_t kAnyTag = -1;
inline constexpr std::int64_t kLargestMessage = (std::int64_t{1} << 40) - 1;
/// Tags from here on are those of collective operations, which "any tag" does not mean.
inline constexpr std::int32_t kCollectiveTags = 1 << 30;
inline constexpr std::uint32_t kMostRequests = 1 << 20;

/// One operation, in 16 bytes, for there may be very many.
class Operation
{
  public:
    /// `request` is of isend and ireceive: its place among the rank's requests.
    static Operation message(Kind kind, std::uint32_t peer, std::int32_t tag, std::int64_t bytes,
                             std::uint32_t request = 0)
    {
        return {kind, peer, static_cast<std::uint32_t>(tag), static_cast<std::uint64_t>(bytes),
                request};
    }
    static Operation compute(Time duration)
    {
        return timed(Kind::compute, duration);
    }
    static Operation until(Time time)
    {
        return timed(Kind::until, time);
    }
    static Operation wait(std::uint32_t request)
    {
        return {Kind::wait, 0, 0, 0, request};
    }
    static Operation wait_all()
    {
        return {Kind::wait_all, 0, 0, 0, 0};
    }
    /// The requests are at [first, first + count) in Program::any_lists.
    static Operation wait_any(std::uint32_t first, std::uint32_t count)
    {
        return {Kind::wait_any, first, count, 0, 0};
    }
    static Operation graph(std::uint32_t number)
    {
        return {Kind::graph, number, 0, 0, 0};
    }

    Kind kind() const
    {
        return static_cast<Kind>(rest_ & 15);
    }
    std::uint32_t peer() const // of a graph its number, of wait_any the first request's place
    {
        return one_;
    }
    std::int32_t tag() const
    {
        return static_cast<std::int32_t>(other_);
    }
    std::uint32_t count() const
    {
        return other_;
    }
    std::uint32_t request() const
    {
        return static_cast<std::uint32_t>(rest_ >> 4) & (kMostRequests - 1);
    }
    std::int64_t bytes() const
    {
        return static_cast<std::int64_t>(rest_ >> 24);
    }
    Time duration() const
    {
        return static_cast<Time>((std::uint64_t{one_} << 32) | other_);
    }

  private:
    static Operation timed(Kind kind, Time time)
    {
        const auto bits = static_cast<std::uint64_t>(time);
        return {kind, static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits), 0,
                0};
    }
    Operation(Kind kind, std::uint32_t one, std::uint32_t other, std::uint64_t bytes,
              std::uint32_t request)
        : one_(one), other_(other),
          rest_(bytes << 24 | std::uint64_t{request} << 4 | static_cast<std::uint64_t>(kind))
    {
    }

    std::uint32_t one_, other_;
    std::uint64_t rest_;
};
static_assert(sizeof(Operation) == 16);

/// A graph's nodes are sends, receives and computations; what waits for a node is in `successors`.
struct Graph {
    std::uint64_t first_node = 0;
    std::uint32_t nodes = 0;
};

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

/// The program of a job.
struct Program {
    explicit Program(std::size_t ranks) : sequences(ranks), requests(ranks), wildcards(ranks)
    {
    }

    std::vector<std::vector<Operation>> sequences;
    std::vector<std::uint32_t> requests; // how many places a rank needs
    std::vector<char> wildcards;         // whether a rank receives from any source or any tag

    std::vector<std::uint32_t> any_lists;

    std::vector<Graph> graphs;
    bool has_start_edges = false; // anything that waits for a node's start
    HugeVector<Operation> nodes;
    HugeVector<std::uint32_t> predecessors;    // of each node: how many it waits for
    HugeVector<std::uint64_t> first_successor; // of each node, and one more at the end
    HugeVector<Successor> successors;

    std::uint32_t ranks() const
    {
        return static_cast<std::uint32_t>(sequences.size());
    }
    void set_ranks(std::size_t ranks)
    {
        sequences.resize(ranks);
        requests.resize(ranks);
        wildcards.resize(ranks);
    }
    /// Make room for graphs of so many nodes in all; what is not used costs nothing.
    void reserve_nodes(std::size_t count);
    /// Add an operation to a rank's sequence, and note what the rank will need for it.
    void add(std::uint32_t rank, Operation operation);
    std::uint64_t operations() const;
    std::uint64_t messages() const;
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
    /// Move another graph's nodes to this one, their tags shifted; return the number of its first.
    std::uint32_t append(GraphBuilder &other, std::int32_t tag_shift);
    /// Tell whether every node can begin some day: there is no circle.
    bool has_order();
    /// Make the graph the next operation of a rank, and begin another. A graph without nodes is
    /// none.
    void finish(Program &program, std::uint32_t rank);
    /// Make the graph all that a rank does, and begin another: in a row, which takes less memory
    /// and time, if it is short and nodes wait for one another in groups of sends or of one node.
    void finish_alone(Program &program, std::uint32_t rank);

  private:
    void clear();
    bool find_groups();
    bool can_be_in_a_row() const;
    struct Edge {
        std::uint32_t earlier;
        Successor successor;
    };

    std::vector<Operation> nodes_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> predecessors_;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint32_t> groups_; // of each node, while finish_alone looks at them
};

} // namespace rankwise::sim
