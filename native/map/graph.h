// Who sends whom how much: an undirected graph with weights, and the smaller graphs made of it.
#pragma once
#include "random.h"
#include <cstdint>
#include <vector>

namespace rankwise::map
{

using Index = std::int32_t;

/// Each edge is there twice, once from each end; the edges of v are begin[v] to begin[v + 1].
struct Graph {
    std::vector<Index> begin = {0};
    std::vector<Index> end;
    std::vector<float> weight;
    std::vector<Index> size;         // how many ranks a vertex stands for
    std::vector<std::int8_t> locked; // the half that a vertex has to be in, -1: either

    Index vertices() const
    {
        return static_cast<Index>(size.size());
    }
    Index total() const;
    Index largest() const;
};

/// A smaller graph, and which of its vertices each vertex of the larger one has become.
struct Coarser {
    Graph graph;
    std::vector<Index> of;
};

/// Merge pairs of vertices along heavy edges, none of which gets larger than `most`.
Coarser coarsened(const Graph &graph, Index most, Random &random);

/// Return the graph of one half alone, and which vertices its vertices were.
struct Part {
    Graph graph;
    std::vector<Index> was;
};
Part part_of(const Graph &graph, const std::vector<std::uint8_t> &half, std::uint8_t which);

} // namespace rankwise::map
