#include "derivatives.h"

#include "adjoint.h"
#include "json.h"
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <ostream>

namespace rankwise::sim
{

namespace
{

constexpr std::array<const char *, kCosts> kCostNames = {"latency", "send_overhead",
                                                         "receive_overhead", "gap", "gap_byte"};

/// A parameter of the platform's file: its numbers on the tape, and how to move it by a share.
struct Parameter {
    std::string name;
    std::vector<std::uint32_t> numbers;
    double unit; // of the derivative: seconds by what the file gives it in
    std::function<void(Platform &, double)> move;
};

void move_cost(CostRange &range, Cost which, double share)
{
    const auto move = [&](Time &time) {
        time += static_cast<Time>(share * static_cast<double>(time));
    };
    switch (which) {
    case Cost::latency:
        return move(range.latency);
    case Cost::send_overhead:
        return move(range.send_overhead);
    case Cost::receive_overhead:
        return move(range.receive_overhead);
    case Cost::gap:
        return move(range.gap);
    case Cost::gap_byte:
        range.gap_byte *= 1 + share;
    }
}

std::vector<Parameter> parameters_of(const Platform &platform, const Tape &tape)
{
    std::vector<Parameter> all;
    for (std::uint32_t c = 0; c < platform.classes.size(); c++)
        for (std::uint32_t k = 0; k < kCosts; k++) {
            const auto which = static_cast<Cost>(k);
            all.push_back({"classes." + platform.classes[c].name + "." + kCostNames[k],
                           {Tape::cost(c, which)},
                           1,
                           [c, which](Platform &moved, double share) {
                               for (CostRange &range : moved.classes[c].ranges)
                                   move_cost(range, which, share);
                           }});
        }
    const auto nodes = static_cast<std::uint32_t>(platform.nodes.size());
    for (std::uint32_t site = 0; site < platform.sites.size(); site++)
        for (const bool out : {true, false}) {
            Parameter nics{"sites." + platform.sites[site] + (out ? ".out" : ".in"),
                           {},
                           1 / kPicosecondsPerSecond,
                           [site, out](Platform &moved, double share) {
                               for (Node &node : moved.nodes)
                                   if (node.site == site)
                                       (out ? node.out : node.in) *= 1 + share;
                           }};
            for (std::uint32_t i = 0; i < nodes; i++)
                if (platform.nodes[i].site == site)
                    nics.numbers.push_back(tape.rate(out ? i : nodes + i));
            all.push_back(std::move(nics));
        }
    for (std::uint32_t i = 0; i < platform.links.size(); i++)
        all.push_back({"links." + platform.links[i].name + ".rate",
                       {tape.rate(2 * nodes + i)},
                       1 / kPicosecondsPerSecond,
                       [i](Platform &moved, double share) { moved.links[i].rate *= 1 + share; }});
    return all;
}

std::vector<double> run(const Platform &platform, const std::vector<Job> &jobs, Tape &tape)
{
    const Outcome outcome = Engine(platform, jobs, {}, nullptr, &tape).run();
    const auto last = std::ranges::max_element(outcome.finish) - outcome.finish.begin();
    return Adjoint(tape, platform).of(tape.of_rank[static_cast<std::size_t>(last)]);
}

/// How often a path passes a latency: without a feedback of rates, a derivative is between 0 and
/// that.
std::uint32_t longest(const Parameter &parameter, const Tape &tape)
{
    const bool is_latency = parameter.name.ends_with(kCostNames[static_cast<int>(Cost::latency)]);
    return is_latency ? tape.longest_path(parameter.numbers.front()) : 0;
}

double value_of(const Parameter &parameter, const std::vector<double> &values)
{
    double sum = 0;
    for (const std::uint32_t number : parameter.numbers)
        sum += values[number];
    return sum * parameter.unit;
}

} // namespace

std::vector<Derivative> derivatives(const Platform &given, const std::vector<Job> &jobs, Side side)
{
    Platform platform = given;
    platform.model = steady_state(given.model);
    std::uint32_t ranks = 0;
    for (const Job &job : jobs)
        ranks += job.program->ranks();
    Tape tape(platform, ranks);
    std::vector<double> values;
    if (side == Side::any)
        values = run(platform, jobs, tape);
    std::vector<Derivative> found;
    for (const Parameter &parameter : parameters_of(platform, tape)) {
        if (side != Side::any) {
            Platform moved = platform;
            parameter.move(moved, side == Side::right ? kSideStep : -kSideStep);
            Tape other(moved, ranks);
            values = run(moved, jobs, other);
            found.push_back(
                {parameter.name, value_of(parameter, values), longest(parameter, other)});
        } else {
            found.push_back(
                {parameter.name, value_of(parameter, values), longest(parameter, tape)});
        }
    }
    return found;
}

void write_derivatives(std::ostream &out, const std::vector<Derivative> &derivatives)
{
    out << ",\n\"derivatives\":[";
    for (std::size_t i = 0; i < derivatives.size(); i++)
        out << (i > 0 ? ",\n " : "\n ") << "{\"parameter\":" << quoted(derivatives[i].parameter)
            << ",\"value\":" << derivatives[i].value
            << ",\"longest_path\":" << derivatives[i].longest << "}";
    out << "]";
}

} // namespace rankwise::sim
