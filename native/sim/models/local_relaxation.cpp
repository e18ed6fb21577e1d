#include "local_relaxation.h"

#include <algorithm>
#include <cmath>

namespace rankwise::sim
{

namespace
{

constexpr std::uint64_t kPatience = 300; // relaxations before something else is tried

} // namespace

LocalRelaxation::LocalRelaxation(const ModelSettings &settings, Network &network, double no_price)
    : network_(network), tolerance_(settings.tolerance), no_price_(no_price),
      has_bus_(settings.kappa < 2), kappa_(settings.kappa), marked_(network.resources.size()),
      place_(network.resources.size(), kNone)
{
    for (Resource &resource : network_.resources)
        resource.price = no_price;
    if (has_bus_) {
        seen_.resize(network.resources.size());
        received_.resize(network.nodes());
    }
}

void LocalRelaxation::started(std::uint32_t flow)
{
    const double rate = level(flow);
    network_.set_rate(flow, rate, rate < network_.flows[flow].limit ? bottleneck(flow) : kNone);
    for (const std::uint32_t resource : network_.routes[flow].used())
        shift(resource, rate);
    if (has_bus_)
        changed_.push_back(network_.routes[flow].resources[0]);
}

void LocalRelaxation::ended(std::uint32_t flow)
{
    const double rate = network_.flows[flow].rate;
    for (const std::uint32_t resource : network_.routes[flow].used()) {
        if (has_bus_)
            changed_.push_back(resource);
        Resource &r = network_.resources[resource];
        if (r.flows.count() == 0) {
            r.load = 0;
            r.price = no_price_;
        } else {
            shift(resource, -rate);
        }
    }
}

bool LocalRelaxation::is_wrong(std::uint32_t resource) const
{
    const Resource &r = network_.resources[resource];
    if (r.flows.count() == 0)
        return false;
    if (r.load > r.bound * (1 + tolerance_))
        return true;
    return r.price != no_price_ && (r.load < r.bound * (1 - tolerance_) || !needs_price(r));
}

void LocalRelaxation::mark(std::uint32_t resource)
{
    if (marked_[resource])
        return;
    marked_[resource] = true;
    wrong_[network_.layer(resource)].push_back(resource);
    wrong_count_++;
}

void LocalRelaxation::check(std::uint32_t resource)
{
    if (!marked_[resource] && is_wrong(resource))
        mark(resource);
}

void LocalRelaxation::shift(std::uint32_t resource, double change)
{
    network_.resources[resource].load += change;
    check(resource);
}

void LocalRelaxation::set_flow(const Entry &entry, double rate, std::uint32_t by, bool holds)
{
    const Flow &flow = network_.flows[entry.flow()];
    const double change = rate - flow.rate;
    if (std::abs(change) <= 1e-13 * rate)
        return;
    const std::uint32_t before = flow.held_by == by ? entry.other : flow.held_by;
    network_.set_rate(entry.flow(), rate, rate >= entry.limit ? kNone : holds ? by : before);
    if (entry.other != kNone) {
        shift(entry.other, change);
        return;
    }
    for (const std::uint32_t resource : network_.routes[entry.flow()].used())
        if (resource != by)
            shift(resource, change);
}

void LocalRelaxation::note(std::uint32_t resource)
{
    if (place_[resource] != kNone)
        return;
    place_[resource] = static_cast<std::uint32_t>(relaxed_.size());
    relaxed_.push_back(resource);
}

void LocalRelaxation::forget_wrong()
{
    for (auto &layer : wrong_) {
        for (const std::uint32_t resource : layer) {
            marked_[resource] = false;
            note(resource);
        }
        layer.clear();
    }
    wrong_count_ = 0;
}

void LocalRelaxation::relax_all()
{
    std::uint64_t done = 0, patience = kPatience + 8 * wrong_count_;
    while (wrong_count_ > 0) {
        for (auto &layer : wrong_) {
            if (layer.empty())
                continue;
            batch_.swap(layer);
            wrong_count_ -= batch_.size();
            for (const std::uint32_t resource : batch_) {
                marked_[resource] = false;
                if (!is_wrong(resource))
                    continue; // others have put it right
                note(resource);
                relax(resource);
                done++;
            }
            batch_.clear();
        }
        if (done > patience && wrong_count_ > 0) {
            hurry();
            patience = done + 4 * patience;
        }
    }
    for (const std::uint32_t resource : relaxed_)
        place_[resource] = kNone;
    relaxed_.clear();
}

void LocalRelaxation::settle()
{
    if (has_bus_)
        settle_with_bus();
    else if (wrong_count_ > 0)
        relax_all();
}

/// Go from where flows began and ended along flows, and through nodes from one NIC's direction to
/// the other.
void LocalRelaxation::find_connected()
{
    std::vector<std::uint32_t> &list = changed_;
    std::size_t kept = 0;
    const auto meet = [&](std::uint32_t resource) {
        if (!seen_[resource]) {
            seen_[resource] = true;
            list.push_back(resource);
        }
    };
    for (const std::uint32_t resource : list)
        if (!seen_[resource]) {
            seen_[resource] = true;
            list[kept++] = resource;
        }
    list.resize(kept);
    const std::uint32_t nodes = network_.nodes();
    for (std::size_t i = 0; i < list.size(); i++) {
        const std::uint32_t resource = list[i];
        if (network_.sends(resource)) {
            connected_.push_back(resource);
            meet(resource + nodes);
        } else if (network_.receives(resource)) {
            meet(resource - nodes);
        }
        for (const Entry &entry : network_.resources[resource].flows.entries())
            for (const std::uint32_t used : network_.routes[entry.flow()].used())
                meet(used);
    }
    for (const std::uint32_t resource : list)
        seen_[resource] = false;
    list.clear();
}

/// Set the bounds from what is received; return the largest change of one, in units of its
/// capacity.
double LocalRelaxation::move_bounds(int round)
{
    double largest = 0;
    for (const std::uint32_t node : connected_) {
        Resource &out = network_.resources[node];
        const Resource &in = network_.resources[network_.nodes() + node];
        const double now = in.flows.count() == 0 ? 0 : in.load;
        received_[node] = round < 4 ? now : (received_[node] + now) / 2;
        const double bound = std::clamp(kappa_ * out.capacity - received_[node],
                                        kBusFloor * out.capacity, out.capacity);
        largest = std::max(largest, std::abs(bound - out.bound) / out.capacity);
        out.bound = bound;
        check(node);
    }
    return largest;
}

void LocalRelaxation::settle_with_bus()
{
    if (changed_.empty())
        return;
    find_connected();
    for (const std::uint32_t node : connected_) {
        network_.resources[node].bound = network_.resources[node].capacity;
        check(node);
    }
    relax_all();
    for (int round = 0; round < kBusRounds; round++) {
        const double moved = move_bounds(round);
        relax_all();
        if (moved <= tolerance_)
            break;
    }
    connected_.clear();
}

} // namespace rankwise::sim
