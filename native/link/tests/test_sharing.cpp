// Flows that share a NIC share it evenly: two take twice as long as one alone, three three times,
// within 3 %.
#include "base/tests/check.h"
#include "flows.h"

using namespace rankwise;
using namespace rankwise::test;

namespace
{

struct Nic {
    const char *options;
    std::uint32_t payload; // of a packet: one segment, or a super-packet
    std::uint32_t window;
    std::uint32_t packets;
};

void share(const Nic &nic, const std::vector<Flow> &flows)
{
    const std::string line = "1e8 50000 1000000 0 normal 0 1";
    std::uint64_t dropped = 0;
    const std::vector<double> times = relative_times(star(4, line, line, nic.options), flows,
                                                     nic.payload, nic.window, nic.packets, dropped);
    const auto share = static_cast<double>(flows.size());
    for (const double time : times)
        CHECK_NEAR(time, share, 0.03 * share);
    CHECK(dropped == 0);
}

/// A site's uplink is shared by the flows of all its nodes.
void share_uplink()
{
    const std::string line = "1e9 0 1000000 0 normal 0 1";
    std::string text = "link up 1e8 50000 1000000 0 normal 0 1\nlink back 1e8 50000 1000000 0 "
                       "normal 0 1\n";
    for (int i = 0; i < 4; i++) {
        const std::string n = std::to_string(i), site = i < 2 ? " west" : " east";
        text += "link " + n + ".out " + line + "\nlink " + n + ".in " + line + "\nnode n" + n +
                site + " 10.9.0." + std::to_string(i + 1) + "/24 " + n + ".out " + n + ".in\n";
    }
    text += "route west west\nroute east east\nroute west east up\nroute east west back\n";
    std::uint64_t dropped = 0;
    for (const double time :
         relative_times(text, {{0, 2}, {1, 3}}, full_payload, 90, 3000, dropped))
        CHECK_NEAR(time, 2, 0.06);
    CHECK(dropped == 0);
}

} // namespace

int main()
{
    const std::vector<Nic> nics = {
        {"option served_queues 1", full_payload, 90, 3000},
        {"option served_queues 0", full_payload, 90, 3000},
        {"option served_queues 1", 6 * full_payload, 15, 500},
        {"option served_queues 1\noption acknowledgements_first 1", 6 * full_payload, 15, 500},
        {"option served_queues 1\noption acknowledgements_first 1\noption bus 1.25", full_payload,
         90, 3000},
    };
    for (const Nic &nic : nics) {
        share(nic, {{1, 0}, {1, 2}});         // out of one node
        share(nic, {{0, 1}, {2, 1}});         // into one node
        share(nic, {{0, 1}, {0, 2}, {0, 3}}); // three
        share(nic, {{1, 0}, {2, 0}, {3, 0}});
    }
    share_uplink();
    return conclude();
}
