// Collective operations as the graphs that Rankwise's schedule generators make of them.
#pragma once
#include "platform.h"
#include "program.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankwise::sim
{

/// A collective operation of all ranks of a job.
struct CollectiveRequest {
    std::string operation, algorithm;
    std::uint32_t ranks = 0, root = 0;
    std::int64_t count = 0; // elements of a block
    std::int64_t element_bytes = 1;
    std::int64_t segment = 0; // elements
    int fan_out = 0, lanes = 0;
    std::vector<std::int64_t> counts, send_counts; // of the v-variants; empty: all alike
    std::vector<std::uint32_t> sites;              // of each rank; empty: all in one
};

/// Throw std::invalid_argument with the reason if there is no such operation or algorithm.
void check_collective(const CollectiveRequest &request);

/// Return the first algorithm of an operation by name; empty: there is none.
std::string first_algorithm_of(std::string_view operation);

/// Add what this rank does to the builder, which has to be empty; computations are copies and
/// reductions at the platform's rates. Throws std::invalid_argument with the reason if the
/// algorithm cannot do it.
void add_collective(GraphBuilder &graph, const CollectiveRequest &request, std::uint32_t rank,
                    const Platform &platform);

} // namespace rankwise::sim
