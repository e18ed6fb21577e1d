// Prints of each two hosts of a SimGrid platform: latency, and the rate of the slowest link between
// them.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <simgrid/s4u.hpp>
#include <vector>

int main(int argc, char **argv)
{
    simgrid::s4u::Engine engine(&argc, argv);
    for (int at = 1; at < argc; at++)
        engine.load_platform(argv[at]);
    engine.seal_platform();
    for (const auto *from : engine.get_all_hosts())
        for (const auto *to : engine.get_all_hosts()) {
            std::vector<simgrid::s4u::Link *> links;
            double latency = 0;
            from->route_to(to, links, &latency);
            double slowest = std::numeric_limits<double>::infinity();
            for (const auto *link : links)
                slowest = std::min(slowest, link->get_bandwidth());
            std::printf("%s %s %.12g %.12g\n", from->get_cname(), to->get_cname(), latency,
                        slowest);
        }
}
