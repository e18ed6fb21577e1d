#include "nics.h"

#include "back_pressure.h"
#include "frame.h"
#include "switch.h"
#include <algorithm>

namespace rankwise
{

namespace
{

int speed_of(const LinkSettings &link)
{
    constexpr int unlimited = 10'000;
    constexpr double most = 800'000;
    const double megabits = link.rate_bits_per_second / 1e6;
    return megabits == 0 ? unlimited : static_cast<int>(std::clamp(megabits, 1.0, most));
}

/// Of a super-packet no part may be dropped only because the queue could never hold it whole.
int segment_limit_of(const Network &network, const LinkSettings &out)
{
    if (out.rate_bits_per_second == 0)
        return network.segment_limit_bytes;
    const auto half = static_cast<int>(std::min<std::int64_t>(out.queue_bytes / 2, 1 << 16));
    return std::max(network.mtu_bytes, std::min(network.segment_limit_bytes, half));
}

TapSettings settings_of(const Network &network, NodeIndex index, const std::string &name_space)
{
    const NodeSettings &node = network.nodes[index];
    const LinkSettings &out = network.links[node.out];
    const int segment_limit = segment_limit_of(network, out);
    return {name_space,        mac_of(index),
            node.address,      node.prefix_bits,
            network.mtu_bytes, segment_limit,
            speed_of(out),     back_pressure(network, out, segment_limit)};
}

/// On the wire, of a super-packet as large as the node may hand over.
std::int64_t largest_wire_bytes(int segment_limit_bytes, int mtu_bytes)
{
    constexpr int headers = 66; // Ethernet, IP, TCP with time stamps
    const int segments = segment_limit_bytes / (mtu_bytes - headers) + 1;
    return segment_limit_bytes +
           std::int64_t{segments} * (headers + int{Frame::wire_overhead_bytes});
}

std::vector<Neighbour> others_of(const Network &network, NodeIndex node)
{
    std::vector<Neighbour> others;
    for (NodeIndex other = 0; other < network.nodes.size(); other++)
        if (other != node)
            others.push_back({network.nodes[other].address, mac_of(other)});
    return others;
}

} // namespace

std::vector<Nic> make_nics(const Network &network,
                           const std::map<std::string, std::string> &namespaces)
{
    std::vector<Nic> nics;
    for (NodeIndex i = 0; i < network.nodes.size(); i++) {
        const TapSettings settings = settings_of(network, i, namespaces.at(network.nodes[i].name));
        nics.push_back({Tap(settings),
                        largest_wire_bytes(settings.segment_limit_bytes, network.mtu_bytes),
                        settings.shaping.has_value(), false});
        nics.back().tap.introduce(others_of(network, i));
    }
    return nics;
}

} // namespace rankwise
