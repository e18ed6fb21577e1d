// A switch in virtual time, with what was delivered when.
#pragma once
#include "base/network_file.h"
#include "frames.h"
#include "link/switch.h"
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace rankwise::test
{

constexpr Time microsecond = 1'000, millisecond = 1'000'000, second = 1'000'000'000;
inline const std::string unlimited = "0 0 0 0 normal 0 1"; // what follows a link's name

inline Network read(const std::string &description)
{
    std::istringstream lines(description);
    return read_network(lines, "network");
}

class World : private Receiver
{
  public:
    struct Arrival {
        Time time;
        NodeIndex source;
        NodeIndex destination;
        std::uint32_t segments;
        std::uint32_t wire_bytes;
    };

    explicit World(const std::string &description, std::uint64_t seed = 1)
        : network_(read(description)), network_switch(network_, *this, seed)
    {
    }

    void run(Time until = std::numeric_limits<Time>::max())
    {
        network_switch.run(until);
    }

    LinkCounters counters(const std::string &link)
    {
        return network_switch.find_link(link)->counters();
    }

  private:
    void deliver(const Packet &packet, Time due) override
    {
        arrivals.push_back({due, packet.source, packet.destination, packet.frame.segments(),
                            packet.frame.wire_bytes()});
        if (on_arrival)
            on_arrival(packet, due);
    }

    Network network_;

  public:
    std::vector<Arrival> arrivals;
    std::function<void(const Packet &, Time)> on_arrival;
    Switch network_switch;
};

/// `nodes` NICs at one switch; `out` and `in` are what follows the name of a link.
inline std::string star(int nodes, const std::string &out, const std::string &in,
                        const std::string &options = "")
{
    std::string text = options + "\n";
    for (int i = 0; i < nodes; i++) {
        const std::string n = std::to_string(i);
        text += "link " + n + ".out " + out + "\nlink " + n + ".in " + in + "\n";
        text += "node n" + n + " here 10.9.0." + std::to_string(i + 1) + "/24 " + n + ".out " + n +
                ".in\n";
    }
    return text + "route here here\n";
}

} // namespace rankwise::test
