// What the program runs on: nodes in sites, the links between them, and what a message costs.
#pragma once
#include "picoseconds.h"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankwise::sim
{

/// The parameters of LogGP or pLogP for messages of up to so many bytes. Times are picoseconds.
struct CostRange {
    std::int64_t up_to = INT64_MAX;
    Time latency = 0;
    Time send_overhead = 0, receive_overhead = 0;
    double send_overhead_byte = 0, receive_overhead_byte = 0; // more for each byte
    Time gap = 0;
    double gap_byte = 0; // G: the NIC's picoseconds a byte when nothing else is under way
};

/// Pairs of nodes that cost alike.
struct PairClass {
    std::string name;
    std::int64_t eager_below = 65536; // from here on a message waits for its receive
    double weight = 1;                // of its flows where they share
    std::vector<CostRange> ranges;    // by size; the last one has no end

    const CostRange &costs(std::int64_t bytes) const
    {
        std::size_t i = 0;
        while (bytes > ranges[i].up_to)
            i++;
        return ranges[i];
    }
};

inline constexpr std::size_t kLongestRoute = 6; // both NICs and four links

/// The links from one site's nodes to another's, and the class of such pairs.
struct Route {
    std::vector<std::uint32_t> links;
    std::uint32_t pair_class = 0;
};

struct Node {
    std::uint32_t site = 0, number = 0; // the latter in its site
    double out = 0, in = 0;             // bytes a second
};

struct Link {
    std::string name;
    double rate = 0;         // bytes a second, one direction
    std::uint32_t place = 0; // in the routes that it is first met in, from 0
};

enum class Sharing { none, max_min, alpha_fair, flow_cuts, queues };

struct ModelSettings {
    Sharing sharing = Sharing::max_min;
    double alpha = 1;
    double kappa = 2;        // out(X) <= kappa - in(X), of the out rate; 2 and more: no bus
    double tolerance = 1e-3; // of a resource's capacity
    double outer_cut = 0.5;  // flow cuts: of the outer flows of an odd zigzag
    double mixed_cut = 3;    // flow cuts: of what is sent where something is received
    double window = 0;       // queues: bytes that a flow keeps there; 0: as few as can be
};

struct Platform {
    std::vector<std::string> sites;
    std::vector<std::vector<std::string>> node_names; // of each site; none: its name and a number
    std::vector<Node> nodes;
    std::vector<Link> links;
    std::vector<PairClass> classes;
    std::vector<Route> routes; // shape (sites, sites)
    std::uint32_t same_node = 0;
    std::int64_t packet_bytes = 1500; // smaller messages are served one after another
    double flops_per_second = 1e9;
    double copy_seconds_per_byte = 0, reduce_seconds_per_byte = 0;
    ModelSettings model;

    std::string node_name(std::size_t node) const
    {
        const auto &[site, number, out, in] = nodes[node];
        const bool is_named = site < node_names.size() && !node_names[site].empty();
        return is_named ? node_names[site][number] : sites[site] + std::to_string(number);
    }
    const Route &route(std::uint32_t from, std::uint32_t to) const
    {
        if (sites.size() == 1)
            return routes[0];
        return routes[nodes[from].site * sites.size() + nodes[to].site];
    }
    const PairClass &pair_class(std::uint32_t from, std::uint32_t to) const
    {
        return classes[from == to ? same_node : route(from, to).pair_class];
    }
};

/// Read a platform. Throws Error (exit code 2) with the file's name and the line at fault.
Platform read_platform(std::string_view text, const std::string &file_name);

/// Return the model whose rates flows come to when they go on for long.
ModelSettings steady_state(ModelSettings settings);

/// Read the member "model" of a platform, or what --model says.
ModelSettings model_named(const std::string &name);

} // namespace rankwise::sim
