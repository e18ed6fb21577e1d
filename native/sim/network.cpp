#include "network.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rankwise::sim
{

FlowList::FlowList(FlowList &&other) noexcept
    : count_(std::exchange(other.count_, 0)), room_(std::exchange(other.room_, kInside))
{
    std::memcpy(static_cast<void *>(inside_), other.inside_, sizeof inside_);
}

FlowList::~FlowList()
{
    if (room_ != kInside)
        delete[] outside_;
}

void FlowList::grow()
{
    const std::uint32_t room = 4 * room_;
    auto *entries = new Entry[room];
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

void find_path(const Platform &platform, std::uint32_t from, std::uint32_t to, FlowRoute &route)
{
    const auto nodes = static_cast<std::uint32_t>(platform.nodes.size());
    route.count = 0;
    route.resources[route.count++] = from;
    for (const std::uint32_t link : platform.route(from, to).links)
        route.resources[route.count++] = 2 * nodes + link;
    route.resources[route.count++] = nodes + to;
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
    find_path(platform_, from, to, route);
    double limit = costs.gap_byte > 0 ? byte_time_ / costs.gap_byte : 1e300;
    for (const std::uint32_t used : route.used())
        limit = std::min(limit, resources[used].capacity);
    const bool simple = route.count == 2 && weight == 1;
    for (std::uint32_t i = 0; i < route.count; i++) {
        FlowList &list = resources[route.resources[i]].flows;
        route.places[i] = list.count();
        list.append({number << 3 | i, simple ? route.resources[1 - i] : kNone, limit});
    }
    route.weight = weight;
    route.whole = static_cast<double>(bytes) * byte_time_;
    route.start = now;
    route.message = message;
    const bool is_in_list = flows[number].touched; // by a flow before, and still in that list
    flows[number] = {route.whole, 0, limit, now, kNever, kNone, is_in_list, true};
    return number;
}

void Network::leave(std::uint32_t flow)
{
    FlowRoute &route = routes[flow];
    for (std::uint32_t i = 0; i < route.count; i++) {
        FlowList &list = resources[route.resources[i]].flows;
        const Entry moved = list.remove(route.places[i]);
        routes[moved.flow()].places[moved.place()] = route.places[i];
    }
    flows[flow].active = false;
}

void Network::forget(std::uint32_t flow)
{
    free_.push_back(flow);
}

std::string name_of_resource(const Platform &platform, std::uint32_t resource)
{
    const std::size_t nodes = platform.nodes.size();
    if (resource < nodes)
        return platform.node_name(resource) + ".out";
    if (resource < 2 * nodes)
        return platform.node_name(resource - nodes) + ".in";
    return platform.links[resource - 2 * nodes].name;
}

} // namespace rankwise::sim
