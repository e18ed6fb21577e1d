#include "program.h"

#include <algorithm>
#include <utility>

namespace rankwise::sim
{

namespace
{

bool is_receive(Kind kind)
{
    return kind == Kind::receive || kind == Kind::ireceive;
}

bool is_wildcard(const Operation &operation)
{
    return is_receive(operation.kind()) &&
           (operation.peer() == kAnySource || operation.tag() == kAnyTag);
}

bool is_send(const Operation &operation)
{
    return operation.kind() == Kind::send || operation.kind() == Kind::isend;
}

} // namespace

void Program::reserve_nodes(std::size_t count, std::size_t edges)
{
    nodes.reserve(count);
    successors.reserve(edges);
    graphs.reserve(sequences.size());
}

std::uint64_t Program::operations() const
{
    std::uint64_t sum = nodes.size();
    for (std::size_t rank = 0; rank < sequences.size(); rank++)
        sum += sequences[rank].size();
    return sum;
}

std::uint64_t Program::messages() const
{
    auto sum = std::ranges::count_if(nodes, is_send, &GraphNode::operation);
    for (std::size_t rank = 0; rank < sequences.size(); rank++)
        sum += std::ranges::count_if(sequences[rank], is_send);
    return static_cast<std::uint64_t>(sum);
}

std::uint32_t GraphBuilder::add(Operation node)
{
    nodes_.push_back({node});
    return nodes() - 1;
}

void GraphBuilder::depend(std::uint32_t later, std::uint32_t earlier, bool at_start)
{
    edges_.push_back({earlier, {later << 1 | (at_start ? 1U : 0U)}});
    nodes_[later].predecessors++;
    nodes_[earlier].successors++;
}

std::uint32_t GraphBuilder::append(GraphBuilder &other, std::int32_t tag_shift,
                                   const std::vector<std::uint32_t> *ranks)
{
    const std::uint32_t first = nodes();
    for (const GraphNode &node : other.nodes_) {
        const Operation &one = node.operation;
        nodes_.push_back(node);
        if (one.kind() != Kind::compute)
            nodes_.back().operation =
                Operation::message(one.kind(), ranks ? (*ranks)[one.peer()] : one.peer(),
                                   one.tag() + tag_shift, one.bytes(), one.request());
    }
    for (const Edge &edge : other.edges_)
        edges_.push_back(
            {edge.earlier + first,
             {(edge.successor.node() + first) << 1 | (edge.successor.at_start() ? 1U : 0U)}});
    other.clear();
    return first;
}

void GraphBuilder::clear()
{
    nodes_.clear();
    edges_.clear();
}

bool GraphBuilder::has_wildcards() const
{
    return std::ranges::any_of(nodes_, is_wildcard, &GraphNode::operation);
}

bool GraphBuilder::has_order()
{
    if (std::ranges::all_of(edges_,
                            [](const Edge &edge) { return edge.earlier < edge.successor.node(); }))
        return true; // as nearly all are written
    std::ranges::sort(edges_, {}, &Edge::earlier);
    std::vector<std::size_t> begin = {0};
    std::vector<std::uint32_t> left, free;
    for (std::uint32_t i = 0; i < nodes(); i++) {
        begin.push_back(begin.back() + nodes_[i].successors);
        left.push_back(nodes_[i].predecessors);
        if (left[i] == 0)
            free.push_back(i);
    }
    for (std::size_t done = 0; done < free.size(); done++)
        for (std::size_t e = begin[free[done]]; e < begin[free[done] + 1]; e++)
            if (--left[edges_[e].successor.node()] == 0)
                free.push_back(edges_[e].successor.node());
    return free.size() == nodes_.size();
}

void GraphBuilder::finish(Program &program, std::uint32_t rank)
{
    if (nodes_.empty())
        return;
    const auto number = static_cast<std::uint32_t>(program.graphs.size());
    if (has_wildcards())
        program.wildcards[rank] = true;
    const std::size_t first_root = program.roots.size();
    std::uint64_t base = program.successors.size();
    for (std::uint32_t i = 0; i < nodes(); i++) {
        GraphNode &node = nodes_[i];
        node.first_successor = base;
        base += node.successors;
        if (node.predecessors == 0)
            program.roots.push_back(i);
    }
    program.graphs.push_back({program.nodes.size(), first_root, nodes(),
                              static_cast<std::uint32_t>(program.roots.size() - first_root)});
    program.nodes.insert(program.nodes.end(), nodes_.begin(), nodes_.end());
    // A counting sort by the earlier node that keeps the order of the edges.
    program.successors.resize(base);
    for (const Edge &edge : edges_) {
        program.successors[nodes_[edge.earlier].first_successor++] = edge.successor;
        program.has_start_edges = program.has_start_edges || edge.successor.at_start();
    }
    program.sequences.append(rank, Operation::graph(number));
    clear();
}

} // namespace rankwise::sim
