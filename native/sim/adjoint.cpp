#include "adjoint.h"

#include "models/local_relaxation.h"
#include <algorithm>
#include <ranges>
#include <span>

namespace rankwise::sim
{

Adjoint::Adjoint(const Tape &tape, const Platform &platform)
    : tape_(tape), platform_(platform), nodes_(static_cast<std::uint32_t>(platform.nodes.size()))
{
    for (const Node &node : platform.nodes)
        fastest_ = std::max({fastest_, node.out, node.in});
    for (const Node &node : platform.nodes)
        capacities_.push_back(node.out / fastest_);
    for (const Node &node : platform.nodes)
        capacities_.push_back(node.in / fastest_);
    for (const Link &link : platform.links)
        capacities_.push_back(link.rate / fastest_);
    at_.resize(capacities_.size());
    place_.resize(capacities_.size(), kNone);
}

std::vector<double> Adjoint::of(std::uint32_t instant)
{
    instants_.assign(tape_.instants().size(), 0);
    parameters_.assign(tape_.parameters(), 0);
    rates_.assign(tape_.flows().size(), 0);
    share_.assign(tape_.flows().size(), 0);
    since_.assign(tape_.flows().size(), kNever);
    instants_[instant] = 1;
    std::size_t left = instants_.size();
    const auto &changes = tape_.changes();
    for (std::size_t end = changes.size(), begin = end; end > 0; end = begin) {
        while (begin > 0 && changes[begin - 1].time == changes[end - 1].time)
            begin--;
        const auto at_once = std::span(changes).subspan(begin, end - begin);
        for (const FlowChange &change : at_once) // while all rates are those of after it
            pass_touched(change);
        for (const FlowChange &change : std::views::reverse(at_once)) {
            const bool ends = change.what == FlowChange::What::ends;
            take_back_instants(left, change.place + (ends ? 1U : 0U));
            take_back(change);
        }
    }
    take_back_instants(left, 0);
    return std::move(parameters_);
}

void Adjoint::take_back_instants(std::size_t &left, std::size_t down_to)
{
    while (left > down_to) {
        const double adjoint = instants_[--left];
        if (adjoint == 0)
            continue;
        const Instant &instant = tape_.instants()[left];
        instants_[instant.before] += adjoint;
        if (instant.parameter != kNone)
            parameters_[instant.parameter] += adjoint * instant.moves;
    }
}

void Adjoint::take_back(const FlowChange &change)
{
    const std::uint32_t number = change.flow;
    const TapedFlow &flow = tape_.flows()[number];
    switch (change.what) {
    case FlowChange::What::ends:
        rates_[number] = flow.rate;
        share_[number] = flow.rate > 0 ? instants_[change.place] / flow.rate : 0;
        since_[number] = change.time;
        for (const std::uint32_t used : flow.used())
            at_[used].push_back(number);
        break;
    case FlowChange::What::has_rate:
        instants_[change.cause] += share_[number] * (rates_[number] - change.rate_before);
        rates_[number] = change.rate_before;
        break;
    case FlowChange::What::begins:
        instants_[flow.begin] += share_[number] * rates_[number];
        share_[number] = 0;
        for (const std::uint32_t used : flow.used())
            std::erase(at_[used], number);
        break;
    }
}

/// What the flow and those beside it do from now on is passed on before anything is taken back.
void Adjoint::pass_touched(const FlowChange &change)
{
    if (change.what != FlowChange::What::ends && since_[change.flow] != kNever)
        pass_rates(change.flow, change.time);
    for (const std::uint32_t used : tape_.flows()[change.flow].used())
        for (const std::uint32_t other : at_[used])
            pass_rates(other, change.time);
}

double Adjoint::load_of(std::uint32_t resource) const
{
    double load = 0;
    for (const std::uint32_t flow : at_[resource])
        load += rates_[flow];
    return load;
}

bool Adjoint::has_bus(std::uint32_t resource) const
{
    return resource < nodes_ && platform_.model.kappa < 2 &&
           platform_.model.sharing != Sharing::flow_cuts &&
           bound_of(resource) < capacities_[resource];
}

double Adjoint::bound_of(std::uint32_t resource) const
{
    const double whole = capacities_[resource];
    if (resource >= nodes_ || platform_.model.kappa >= 2)
        return whole;
    return std::clamp(platform_.model.kappa * whole - load_of(nodes_ + resource),
                      LocalRelaxation::kBusFloor * whole, whole);
}

bool Adjoint::is_full(std::uint32_t resource) const
{
    const double bound = bound_of(resource);
    return (at_[resource].size() > 1 || bound < capacities_[resource]) &&
           load_of(resource) >= bound * (1 - 2 * platform_.model.tolerance);
}

/// Put the flow into the component, with its rate's adjoint from here to where it was known.
void Adjoint::meet_flow(std::uint32_t number, Time time)
{
    if (since_[number] == time)
        return;
    const TapedFlow &flow = tape_.flows()[number];
    const auto passed = static_cast<double>(since_[number] - time);
    since_[number] = time;
    component_.members.push_back(
        {number, rates_[number], flow.weight, flow.limit, -share_[number] * passed, 0, {}});
}

/// Pass the adjoints of the rates of this flow's component on to the capacities.
void Adjoint::pass_rates(std::uint32_t number, Time time)
{
    if (since_[number] == time)
        return;
    component_.members.clear();
    component_.resources.clear();
    meet_flow(number, time);
    const auto meet = [&](std::uint32_t resource) {
        if (place_[resource] == kNone && is_full(resource)) {
            place_[resource] = static_cast<std::uint32_t>(component_.resources.size());
            component_.resources.push_back(resource);
        }
        return place_[resource];
    };
    std::size_t members = 0, resources = 0;
    while (members < component_.members.size() || resources < component_.resources.size()) {
        if (members < component_.members.size()) {
            const std::size_t at = members++;
            for (const std::uint32_t used : tape_.flows()[component_.members[at].flow].used()) {
                const std::uint32_t place = meet(used);
                if (place != kNone) {
                    Component::Member &member = component_.members[at];
                    member.full[member.count++] = place;
                }
                if (used >= nodes_ && used < 2 * nodes_ && has_bus(used - nodes_))
                    meet(used - nodes_);
            }
            continue;
        }
        const std::uint32_t resource = component_.resources[resources++];
        for (const std::uint32_t flow : at_[resource])
            meet_flow(flow, time);
        if (has_bus(resource))
            for (const std::uint32_t flow : at_[resource + nodes_])
                meet_flow(flow, time);
    }
    if (std::ranges::any_of(component_.members, [](const auto &one) { return one.adjoint != 0; }))
        pass_component();
    for (const std::uint32_t resource : component_.resources)
        place_[resource] = kNone;
}

/// A bound that the bus sets hands its adjoint on to the rates of what the node receives, round by
/// round, as these bounds are found.
void Adjoint::pass_component()
{
    for (int round = 0; round <= LocalRelaxation::kBusRounds; round++) {
        take_back_rates(platform_.model, component_);
        for (Component::Member &member : component_.members) {
            const TapedFlow &flow = tape_.flows()[member.flow];
            parameters_[flow.limiting] += member.adjoint * flow.limit_moves;
            member.adjoint = 0;
        }
        bool again = false;
        for (std::size_t i = 0; i < component_.resources.size(); i++) {
            const std::uint32_t resource = component_.resources[i];
            const bool bus = has_bus(resource);
            parameters_[tape_.rate(resource)] +=
                component_.adjoints[i] / fastest_ * (bus ? platform_.model.kappa : 1);
            if (!bus || component_.adjoints[i] == 0)
                continue;
            again = true;
            for (Component::Member &member : component_.members)
                for (const std::uint32_t used : tape_.flows()[member.flow].used())
                    member.adjoint -= used == resource + nodes_ ? component_.adjoints[i] : 0;
        }
        if (!again)
            return;
    }
}

} // namespace rankwise::sim
