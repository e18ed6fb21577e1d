// Cutting a graph in two with little weight between the halves, each of a given size: multilevel
// (Karypis and Kumar 1998), refined by moves of Fiduccia and Mattheyses (1982).
#pragma once
#include "graph.h"

namespace rankwise::map
{

using Halves = std::vector<std::uint8_t>; // 0 or 1 for each vertex

/// Return the weight of the edges between the halves.
double cut_weight(const Graph &graph, const Halves &halves);

/// Return halves of which the first has exactly `target` ranks, if all vertices stand for one.
/// Vertices that are locked are in their half, unless these do not fit.
Halves bisect(const Graph &graph, Index target, Random &random);

} // namespace rankwise::map
