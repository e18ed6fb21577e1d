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

std::uint64_t sends(std::span<const Operation> operations)
{
    return static_cast<std::uint64_t>(
        std::ranges::count_if(operations, [](const Operation &operation) {
            return operation.kind() == Kind::send || operation.kind() == Kind::isend;
        }));
}

} // namespace

void Program::reserve_nodes(std::size_t count)
{
    nodes.reserve(count);
    predecessors.reserve(count);
    first_successor.reserve(count + 1);
    successors.reserve(count);
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
    std::uint64_t sum = sends(nodes);
    for (std::size_t rank = 0; rank < sequences.size(); rank++)
        sum += sends(sequences[rank]);
    return sum;
}

std::uint32_t GraphBuilder::add(Operation node)
{
    nodes_.push_back(node);
    predecessors_.push_back(0);
    return nodes() - 1;
}

void GraphBuilder::depend(std::uint32_t later, std::uint32_t earlier, bool at_start)
{
    edges_.push_back({earlier, {later << 1 | (at_start ? 1U : 0U)}});
    predecessors_[later]++;
}

std::uint32_t GraphBuilder::append(GraphBuilder &other, std::int32_t tag_shift)
{
    const std::uint32_t first = nodes();
    for (const Operation &node : other.nodes_)
        nodes_.push_back(node.kind() == Kind::compute
                             ? node
                             : Operation::message(node.kind(), node.peer(), node.tag() + tag_shift,
                                                  node.bytes(), node.request()));
    predecessors_.insert(predecessors_.end(), other.predecessors_.begin(),
                         other.predecessors_.end());
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
    predecessors_.clear();
}

bool GraphBuilder::has_order()
{
    if (std::ranges::all_of(edges_,
                            [](const Edge &edge) { return edge.earlier < edge.successor.node(); }))
        return true; // as nearly all are written
    std::ranges::sort(edges_, {}, &Edge::earlier);
    std::vector<std::size_t> begin(nodes_.size() + 1);
    for (const Edge &edge : edges_)
        begin[edge.earlier + 1]++;
    for (std::size_t i = 0; i < nodes_.size(); i++)
        begin[i + 1] += begin[i];
    std::vector<std::uint32_t> left = predecessors_, free;
    for (std::uint32_t i = 0; i < nodes(); i++)
        if (left[i] == 0)
            free.push_back(i);
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
    program.graphs.push_back({program.nodes.size(), nodes()});
    if (std::ranges::any_of(nodes_, is_wildcard))
        program.wildcards[rank] = true;
    program.nodes.insert(program.nodes.end(), nodes_.begin(), nodes_.end());
    program.predecessors.insert(program.predecessors.end(), predecessors_.begin(),
                                predecessors_.end());
    // A counting sort by the earlier node that keeps the order of the edges.
    place_.assign(nodes_.size(), 0);
    for (const Edge &edge : edges_)
        place_[edge.earlier]++;
    const std::uint64_t base = program.successors.size();
    if (program.first_successor.empty())
        program.first_successor.push_back(0);
    std::uint32_t sum = 0;
    for (std::uint32_t &count : place_) {
        sum += std::exchange(count, sum);
        program.first_successor.push_back(base + sum);
    }
    program.successors.resize(base + edges_.size());
    for (const Edge &edge : edges_) {
        program.successors[base + place_[edge.earlier]++] = edge.successor;
        program.has_start_edges = program.has_start_edges || edge.successor.at_start();
    }
    program.sequences.append(rank, Operation::graph(number));
    clear();
}

} // namespace rankwise::sim
