// The description of a network that rankwise-nodes and rankwise-link are given.
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

/// The settings of a link are those of one direction, as asked for.
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

/// A kernel setting belongs to a node's own network stack.
struct KernelSetting {
    std::string key;   // as sysctl names it: net.ipv4.tcp_rmem
    std::string value; // words separated by blanks
};

struct NodeSettings {
    std::string name;
    std::string site;
    std::uint32_t address = 0; // of the host, in this machine's byte order
    int prefix_bits = 0;
    std::size_t out = 0; // indices of links
    std::size_t in = 0;
    std::vector<KernelSetting> kernel;
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
    double bus = 0; // of a NIC's rate, 0: no limit
    int realtime_priority = 50;
    Time spin = 100'000;
    std::optional<std::uint64_t> seed; // of loss and jitter; none: another one each time
    std::vector<LinkSettings> links;
    std::vector<NodeSettings> nodes;
    std::vector<RouteSettings> routes;

    /// Return the route from one site's NICs to the other's; null if the file has none.
    const RouteSettings *route(const std::string &source, const std::string &destination) const;
};

/// Read a network. Throws Error (exit code 2) with the file's name and the line at fault.
Network read_network(std::istream &lines, const std::string &file_name);
Network read_network(const std::string &path);

/// Tell whether this is a host name: letters, digits, '-' and '.', the last two not at its ends; at
/// most 63 characters.
bool is_host_name(const std::string &name);

/// Tell whether a key may be set in a node: below net.ipv4. or net.core., the node's own.
bool is_network_setting(const std::string &key);

/// Return an IPv4 address (in this machine's byte order) as four numbers.
std::string address_text(std::uint32_t address);

} // namespace rankwise
