#include "graph.h"

#include <algorithm>
#include <numeric>

namespace rankwise::map
{

Index Graph::total() const
{
    return std::accumulate(size.begin(), size.end(), Index{0});
}

Index Graph::largest() const
{
    return size.empty() ? 0 : *std::max_element(size.begin(), size.end());
}

namespace
{

class Matching
{
  public:
    Matching(const Graph &graph, Index most)
        : graph_(graph), most_(most), of_(static_cast<std::size_t>(graph.vertices()), -1)
    {
    }

    /// Give each vertex the number of its pair, and return how many there are.
    Index match(Random &random)
    {
        std::vector<Index> order(of_.size());
        std::iota(order.begin(), order.end(), 0);
        for (Index i = graph_.vertices() - 1; i > 0; i--)
            std::swap(order[i], order[random.below(i + 1)]);
        Index alone = -1; // a vertex without edges that waits for another one
        for (const Index vertex : order) {
            if (of_[vertex] >= 0)
                continue;
            Index other = heaviest(vertex);
            if (other < 0 && graph_.begin[vertex] == graph_.begin[vertex + 1]) {
                if (alone >= 0 && fit(vertex, alone)) {
                    of_[vertex] = of_[alone];
                    alone = -1;
                    continue;
                }
                alone = vertex;
            }
            of_[vertex] = count_;
            if (other >= 0)
                of_[other] = count_;
            count_++;
        }
        return count_;
    }

    std::vector<Index> take()
    {
        return std::move(of_);
    }

  private:
    bool fit(Index one, Index other) const
    {
        return graph_.size[one] + graph_.size[other] <= most_ &&
               graph_.locked[one] == graph_.locked[other];
    }

    Index heaviest(Index vertex) const
    {
        Index best = -1;
        float most = 0;
        for (Index e = graph_.begin[vertex]; e < graph_.begin[vertex + 1]; e++) {
            const Index other = graph_.end[e];
            if (of_[other] >= 0 || other == vertex || !fit(vertex, other))
                continue;
            // Of equal edges that between small vertices: sizes stay alike (Karypis and Kumar
            // 1998).
            const float rating = graph_.weight[e] / static_cast<float>(graph_.size[vertex]) /
                                 static_cast<float>(graph_.size[other]);
            if (rating > most) {
                most = rating;
                best = other;
            }
        }
        return best;
    }

    const Graph &graph_;
    Index most_, count_ = 0;
    std::vector<Index> of_;
};

} // namespace

Coarser coarsened(const Graph &graph, Index most, Random &random)
{
    Matching matching(graph, most);
    const Index count = matching.match(random);
    Coarser made{{}, matching.take()};
    Graph &small = made.graph;
    small.size.assign(static_cast<std::size_t>(count), 0);
    small.locked.assign(static_cast<std::size_t>(count), -1);
    std::vector<Index> first(small.size.size(), -1), second(small.size.size(), -1);
    for (Index v = 0; v < graph.vertices(); v++) {
        const Index to = made.of[v];
        small.size[to] += graph.size[v];
        small.locked[to] = graph.locked[v];
        (first[to] < 0 ? first : second)[to] = v;
    }
    std::vector<Index> seen(small.size.size(), -1); // the edge to each vertex, if it is of this one
    for (Index to = 0; to < count; to++) {
        const auto begin = static_cast<Index>(small.end.size());
        for (const Index v : {first[to], second[to]}) {
            for (Index e = v < 0 ? 0 : graph.begin[v]; e < (v < 0 ? 0 : graph.begin[v + 1]); e++) {
                const Index other = made.of[graph.end[e]];
                if (other == to)
                    continue;
                if (seen[other] >= begin) {
                    small.weight[seen[other]] += graph.weight[e];
                    continue;
                }
                seen[other] = static_cast<Index>(small.end.size());
                small.end.push_back(other);
                small.weight.push_back(graph.weight[e]);
            }
        }
        small.begin.push_back(static_cast<Index>(small.end.size()));
    }
    return made;
}

Part part_of(const Graph &graph, const std::vector<std::uint8_t> &half, std::uint8_t which)
{
    Part part;
    std::vector<Index> number(half.size(), -1);
    for (Index v = 0; v < graph.vertices(); v++) {
        if (half[v] != which)
            continue;
        number[v] = static_cast<Index>(part.was.size());
        part.was.push_back(v);
    }
    for (const Index v : part.was) {
        for (Index e = graph.begin[v]; e < graph.begin[v + 1]; e++) {
            if (number[graph.end[e]] < 0)
                continue;
            part.graph.end.push_back(number[graph.end[e]]);
            part.graph.weight.push_back(graph.weight[e]);
        }
        part.graph.begin.push_back(static_cast<Index>(part.graph.end.size()));
        part.graph.size.push_back(graph.size[v]);
        part.graph.locked.push_back(-1);
    }
    return part;
}

} // namespace rankwise::map
