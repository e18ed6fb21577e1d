// The description of a network that the emulator is given.
#pragma once
#include "virtual_time.h"
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace rankwise
{

enum class JitterDistribution { uniform, normal, exponential };

/// One direction of a link, as asked for.
struct LinkSettings {
    std::string name;
    double rate_bits_per_second = 0; // 0: unlimited
    Time delay = 0;
    std::int64_t queue_bytes = 0;
    Time jitter = 0; // half width, standard deviation or mean
    JitterDistribution distribution = JitterDistribution::normal;
    double loss = 0;       // share of packets
    double loss_burst = 1; // mean length of a run of lost packets
};

struct NodeSettings {
    std::string name;
    std::string site;
    std::uint32_t address = 0; // of the host, in this machine's byte order
    int prefix_bits = 0;
    std::size_t out = 0; // indices of links
    std::size_t in = 0;
};

struct RouteSettings {
    std::string source;
    std::string destination;
    std::vector<std::size_t> links;
};

struct Network {
    int mtu_bytes = 1500;
    int segment_limit_bytes = 65536;
    bool served_queues = true;
    bool acknowledgements_first = false;
    double bus = 0; // of a card's rate, 0: no limit
    int realtime_priority = 50;
    Time spin = 100'000;
    std::optional<std::uint64_t> seed; // of loss and jitter; none: another one each time
    std::vector<LinkSettings> links;
    std::vector<NodeSettings> nodes;
    std::vector<RouteSettings> routes;

    /// From one site's cards to the other's; null if the file has none.
    const RouteSettings *route(const std::string &source, const std::string &destination) const;
};

/// Raises InputError with the file's name and the line at fault.
Network read_network(std::istream &lines, const std::string &file_name);

} // namespace rankwise
