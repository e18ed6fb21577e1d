// Engine: graphs of operations. A rank has one processor: nodes that could begin wait for it in the
// order in which they came to be able to.
#include "engine.h"

#include <algorithm>

namespace rankwise::sim
{

namespace
{

constexpr std::size_t kNodesAhead =
    3; // fetched: thousands of ranks are at a place each in their graphs

} // namespace

void Engine::append(const GraphPlace &graph, NodeQueue &queue, std::uint32_t node)
{
    node_states_[graph.first_node + node].next = kNone;
    if (queue.first == kNone)
        queue.first = node;
    else
        node_states_[graph.first_node + queue.last].next = node;
    queue.last = node;
}

std::uint32_t Engine::take_first(const GraphPlace &graph, NodeQueue &queue)
{
    const std::uint32_t node = queue.first;
    queue.first = node_states_[graph.first_node + node].next;
    return node;
}

void Engine::enter_graph(std::uint32_t number, Rank &rank, const Graph &graph)
{
    GraphPlace &place = graphs_[number];
    const Program &program = *jobs_[rank.job].program;
    place.nodes = program.nodes.data() + graph.first_node;
    place.successors = program.successors.data();
    place.first_node = node_base_[rank.job] + graph.first_node;
    rank.nodes_left = graph.nodes;
    for (std::uint32_t i = 0; i < graph.roots; i++)
        append(place, place.ready, program.roots[graph.first_root + i]);
}

/// Begin all nodes that can; the rank's sequence goes on when no node is left.
void Engine::run_graph(std::uint32_t number, Rank &rank)
{
    rank.mode = Mode::in_graph;
    GraphPlace &graph = graphs_[number];
    while (graph.ready.first != kNone) {
        if (rank.has_wildcards && rank.time > now_) { // see run_rank
            run_later(number, rank);
            return;
        }
        if (tape_ && now_ > rank.time) [[unlikely]]
            tape_->of_rank[number] = tape_->now;
        rank.time = std::max(rank.time, now_);
        begin_node(number, rank, take_first(graph, graph.ready));
    }
    if (rank.nodes_left == 0)
        rank.mode = Mode::running;
}

void Engine::begin_node(std::uint32_t number, Rank &rank, std::uint32_t node)
{
    GraphPlace &graph = graphs_[number];
    const Operation &operation = graph.nodes[node].operation;
    __builtin_prefetch(graph.nodes + node + kNodesAhead);
    __builtin_prefetch(&node_states_[graph.first_node + node] + 2 * kNodesAhead, 1);
    if (graph.nodes[node].successors > 0)
        __builtin_prefetch(graph.successors + graph.nodes[node].first_successor + 4 * kNodesAhead);
    const std::uint32_t handle = node | kNodeHandle;
    bool is_over = true;
    switch (operation.kind()) {
    case Kind::send:
    case Kind::isend:
        is_over = post_send(number, rank, operation, handle);
        break;
    case Kind::receive:
    case Kind::ireceive:
        is_over = post_receive(number, rank, operation, handle);
        break;
    default:
        compute(number, rank, operation.duration());
    }
    if (jobs_[rank.job].program->has_start_edges)
        satisfy(number, node, true);
    if (!is_over) {
        graph.nodes_pending++;
        return;
    }
    // What comes in before this ends may come before what waits for this.
    if (rank.time > now_ && graph.nodes_pending > 0 && graph.nodes[node].successors > 0) {
        append(graph, graph.ending, node);
        push(rank.time, kNodeEnds, number);
        if (tape_) [[unlikely]]
            Tape::at(tape_->node_end, graph.first_node + node) = tape_->of_rank[number];
        return;
    }
    end_node(number, rank, node, false);
}

void Engine::end_node(std::uint32_t number, Rank &rank, std::uint32_t node, bool deferred)
{
    rank.nodes_left--;
    satisfy(number, node, false);
    if (deferred)
        run_rank(number);
}

void Engine::satisfy(std::uint32_t number, std::uint32_t node, bool at_start)
{
    GraphPlace &graph = graphs_[number];
    const GraphNode &ended = graph.nodes[node];
    const Successor *const first = graph.successors + ended.first_successor;
    for (std::uint32_t i = 0; i < ended.successors; i++) {
        const std::uint32_t later = first[i].node();
        if (first[i].at_start() == at_start &&
            ++node_states_[graph.first_node + later].done == graph.nodes[later].predecessors)
            append(graph, graph.ready, later);
    }
}

} // namespace rankwise::sim
