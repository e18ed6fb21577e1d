// How the rates of flows that share follow the capacities: the model's equations, linearised and
// transposed.
#pragma once
#include "platform.h"
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rankwise::sim
{

/// Flows that are connected through full resources.
struct Component {
    struct Member {
        std::uint32_t flow = 0; // of the tape
        double rate = 0, weight = 1, limit = 0;
        double adjoint = 0;     // of its rate
        std::uint8_t count = 0; // of `full`
        std::array<std::uint32_t, kLongestRoute>
            full{}; // its full resources, by place in `adjoints`

        bool is_limited() const
        {
            return rate >= limit * (1 - 1e-12);
        }
        std::span<const std::uint32_t> used() const
        {
            return {full.data(), count};
        }
    };
    std::vector<Member> members;
    std::vector<std::uint32_t> resources; // the full ones
    std::vector<double> adjoints;         // of their capacities
};

/// Turn the adjoints of the members' rates into those of their limits, and of the capacities. For
/// alpha-fair sharing the rates x and prices p obey dx = -x^(1 + alpha) / (alpha w) dp and the sum
/// of dx = dC at each full resource; for max-min sharing dx = w dl, l being the level of the
/// resource that holds the flow; flow cuts are shares of the limit.
void take_back_rates(const ModelSettings &model, Component &component);

} // namespace rankwise::sim
