// How the total time follows the platform: by how much it grows with each parameter.
#pragma once
#include "engine.h"
#include <iosfwd>
#include <string>
#include <vector>

namespace rankwise::sim
{

/// Which derivative is meant where the total time has a kink.
enum class Side { any, left, right };

struct Derivative {
    std::string parameter; // as "classes.wan.latency", "links.wan.rate", "sites.a.out"
    double value;          // seconds by what the platform's file gives it in
    std::uint32_t longest; // on any path of the run: how often a latency is; 0 for others
};

/// Return dT/dp for each parameter p that the total time T depends on. `any` takes one run and
/// gives one of the subgradients at a kink; a side takes one run for each parameter, which is moved
/// to that side by kSideStep of its value.
std::vector<Derivative> derivatives(const Platform &given, const std::vector<Job> &jobs, Side side);
inline constexpr double kSideStep = 1e-6;

/// Write them as a member of a JSON object.
void write_derivatives(std::ostream &out, const std::vector<Derivative> &derivatives);

} // namespace rankwise::sim
