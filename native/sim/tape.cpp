#include "tape.h"

#include "base/error.h"
#include <algorithm>

namespace rankwise::sim
{

[[gnu::cold]] std::uint32_t Tape::later(std::uint32_t before, std::uint32_t parameter, double moves)
{
    if (instants_.size() >= kNone)
        throw host_error("a run of more than 2^32 instants is too long for derivatives",
                         "take a part of the program");
    instants_.push_back({before, parameter, moves});
    return place() - 1;
}

void Tape::begin_flow(const Network &network, std::uint32_t flow, double gap_byte,
                      std::uint32_t gap_parameter)
{
    const FlowRoute &route = network.routes[flow];
    TapedFlow taped;
    taped.resources = route.resources;
    taped.count = route.count;
    taped.weight = route.weight;
    taped.limit = network.flows[flow].limit;
    taped.begin = now;
    taped.limiting = gap_parameter;
    taped.limit_moves = gap_byte > 0 ? -taped.limit / gap_byte : 0;
    for (const std::uint32_t used : route.used())
        if (network.resources[used].capacity <= taped.limit * (1 + 1e-12)) {
            taped.limiting = rate(used);
            taped.limit_moves = network.byte_time() / kPicosecondsPerSecond;
            break;
        }
    const auto number = static_cast<std::uint32_t>(flows_.size());
    flows_.push_back(taped);
    at(serial_, flow) = number;
    changes_.push_back({network.now, 0, number, 0, place(), FlowChange::What::begins});
    note_cause(network.now, now);
}

std::uint32_t Tape::end_flow(const Network &network, std::uint32_t flow)
{
    const std::uint32_t number = serial_[flow], end = later(0, kNone);
    changes_.push_back({network.now, 0, number, 0, end, FlowChange::What::ends});
    note_cause(network.now, end);
    return end;
}

void Tape::note_cause(Time time, std::uint32_t instant)
{
    if (cause_time_ == time)
        return;
    cause_time_ = time;
    cause_ = instant;
}

/// A flow's first rate belongs to its beginning, whatever else happens then.
void Tape::note_rate(const Network &network, std::uint32_t flow)
{
    TapedFlow &taped = flows_[serial_[flow]];
    const double rate_now = network.flows[flow].rate;
    if (taped.rate >= 0 && taped.rate != rate_now)
        changes_.push_back(
            {network.now, taped.rate, serial_[flow], cause_, place(), FlowChange::What::has_rate});
    taped.rate = rate_now;
}

std::uint32_t Tape::longest_path(std::uint32_t parameter) const
{
    std::vector<std::uint32_t> to_instant(instants_.size()), to_flow(flows_.size());
    std::size_t known = 0;
    const auto know = [&](std::size_t end) {
        for (; known < end; known++) {
            const Instant &one = instants_[known];
            to_instant[known] = to_instant[one.before] + (one.parameter == parameter ? 1 : 0);
        }
    };
    for (const FlowChange &change : changes_) {
        know(change.place);
        std::uint32_t &flow = to_flow[change.flow];
        switch (change.what) {
        case FlowChange::What::begins:
            flow = to_instant[flows_[change.flow].begin];
            break;
        case FlowChange::What::has_rate:
            flow = std::max(flow, to_instant[change.cause]);
            break;
        case FlowChange::What::ends:
            know(std::size_t{change.place} + 1);
            to_instant[change.place] = flow;
            break;
        }
    }
    know(instants_.size());
    return *std::ranges::max_element(to_instant);
}

void Tape::settle(const Network &network)
{
    for (const std::uint32_t flow : network.touched)
        if (network.flows[flow].active)
            note_rate(network, flow);
}

} // namespace rankwise::sim
