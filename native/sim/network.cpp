#include "network.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rankwise::sim
{

FlowList::FlowList(FlowList &&other) noexcept
    : count_(std::exchange(other.count_, 0)), room_(std::exchange(other.room_, kInside))
{
    std::memcpy(inside_, other.inside_, sizeof inside_);
}

FlowList::~FlowList()
{
    if (room_ != kInside)
        delete[] outside_;
}

void FlowList::grow()
{
    const std::uint32_t room = 4 * room_;
    auto *entries = new std::uint32_t[room];
    std::copy_n(data(), count_, entries);
    if (room_ != kInside)
        delete[] outside_;
    outside_ = entries;
    room_ = room;
}

Network::Network(const Platform &platform)
    : platform_(platform), nodes_(static_cast<std::uint32_t>(platform.nodes.size()))
{
    double fastest = 0;
    for (const Node &node : platform.nodes)
        fastest = std::max({fastest, node.out, node.in});
    byte_time_ = kPicosecondsPerSecond / fastest;
    resources.resize(2 * std::size_t{nodes_} + platform.links.size());
    layers_.resize(resources.size());
    lost.resize(resources.size());
    const auto set = [&](std::size_t number, double rate, std::uint32_t layer) {
        resources[number].capacity = resources[number].bound = rate / fastest;
        layers_[number] = layer;
    };
    for (std::size_t i = 0; i < nodes_; i++) {
        set(i, platform.nodes[i].out, 0);
        set(nodes_ + i, platform.nodes[i].in, 1);
    }
    for (std::size_t i = 0; i < platform.links.size(); i++)
        set(2 * std::size_t{nodes_} + i, platform.links[i].rate, 2 + platform.links[i].place);
}

std::uint32_t Network::begin(std::uint32_t message, std::uint32_t from, std::uint32_t to,
                             std::int64_t bytes, const CostRange &costs, double weight)
{
    std::uint32_t number = static_cast<std::uint32_t>(flows.size());
    if (free_.empty()) {
        flows.emplace_back();
        routes.emplace_back();
    } else {
        number = free_.back();
        free_.pop_back();
    }
    FlowRoute &route = routes[number];
    route.count = 0;
    const auto use = [&](std::uint32_t resource) {
        route.places[route.count] = resources[resource].flows.count();
        route.resources[route.count] = resource;
        resources[resource].flows.append(number << 3 | route.count++);
    };
    use(from);
    for (const std::uint32_t link : platform_.route(from, to).links)
        use(2 * nodes_ + link);
    use(nodes_ + to);
    route.limit = costs.gap_byte > 0 ? byte_time_ / costs.gap_byte : 1e300;
    for (const std::uint32_t resource : route.used())
        route.limit = std::min(route.limit, resources[resource].capacity);
    route.weight = weight;
    route.whole = static_cast<double>(bytes) * byte_time_;
    route.start = now;
    route.message = message;
    route.held_by = kNone;
    route.active = true;
    flows[number] = {route.whole, 0, now, kNever};
    return number;
}

void Network::leave(std::uint32_t flow)
{
    FlowRoute &route = routes[flow];
    for (std::uint32_t i = 0; i < route.count; i++) {
        FlowList &list = resources[route.resources[i]].flows;
        const std::uint32_t moved = list.remove(route.places[i]);
        routes[FlowList::flow_of(moved)].places[moved & 7] = route.places[i];
    }
    route.active = false;
}

void Network::forget(std::uint32_t flow)
{
    free_.push_back(flow);
}

std::string Network::name(std::uint32_t resource) const
{
    if (sends(resource))
        return platform_.nodes[resource].name + ".out";
    if (receives(resource))
        return platform_.nodes[resource - nodes_].name + ".in";
    return platform_.links[resource - 2 * nodes_].name;
}

} // namespace rankwise::sim
