// Engine: graphs of operations. A rank has one processor: nodes that could begin wait for it in the
// order in which they came to be able to.
#include "engine.h"

#include <algorithm>

namespace rankwise::sim
{

void Engine::append(const GraphPlace &graph, NodeQueue &queue, std::uint32_t node)
{
    next_node_[graph.first_node + node] = kNone;
    if (queue.first == kNone)
        queue.first = node;
    else
        next_node_[graph.first_node + queue.last] = node;
    queue.last = node;
}

std::uint32_t Engine::take_first(const GraphPlace &graph, NodeQueue &queue)
{
    const std::uint32_t node = queue.first;
    queue.first = next_node_[graph.first_node + node];
    return node;
}

void Engine::enter_graph(std::uint32_t number, Rank &rank, const Graph &graph)
{
    GraphPlace &place = graphs_[number];
    place.first_node = node_base_[rank.job] + graph.first_node;
    rank.nodes_left = graph.nodes;
    for (std::uint32_t node = 0; node < graph.nodes; node++)
        if (nodes_waiting_[place.first_node + node] == 0)
            append(place, place.ready, node);
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
    const std::uint64_t in_program = graph.first_node + node - node_base_[rank.job];
    const Operation &operation = jobs_[rank.job].program->nodes[in_program];
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
        satisfy(number, rank, node, true);
    if (!is_over) {
        graph.nodes_pending++;
        return;
    }
    const std::uint64_t first = jobs_[rank.job].program->first_successor[in_program];
    const std::uint64_t last = jobs_[rank.job].program->first_successor[in_program + 1];
    // What comes in before this ends may come before what waits for this.
    if (rank.time > now_ && graph.nodes_pending > 0 && first != last) {
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
    satisfy(number, rank, node, false);
    if (deferred)
        run_rank(number);
}

void Engine::satisfy(std::uint32_t number, Rank &rank, std::uint32_t node, bool at_start)
{
    GraphPlace &graph = graphs_[number];
    const Program &program = *jobs_[rank.job].program;
    const std::uint64_t in_program = graph.first_node + node - node_base_[rank.job];
    for (std::uint64_t s = program.first_successor[in_program];
         s < program.first_successor[in_program + 1]; s++) {
        const Successor &successor = program.successors[s];
        if (successor.at_start() == at_start &&
            --nodes_waiting_[graph.first_node + successor.node()] == 0)
            append(graph, graph.ready, successor.node());
    }
}

} // namespace rankwise::sim
