// Packets of a flow never overtake one another, whatever links of whatever rates, jitter and losses
// they cross together with others.
#include "base/tests/check.h"
#include "world.h"
#include <map>
#include <random>
#include <utility>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

/// Three sources with NICs of their own speeds, and as many links in a row as asked for.
std::string chain(std::mt19937_64 &random, int hops, bool jitter)
{
    const auto any = [&](std::initializer_list<const char *> of) {
        return std::string(std::data(of)[random() % of.size()]);
    };
    const auto link = [&](const std::string &name, bool limited) {
        const std::string rate = limited ? any({"1e7", "1e8", "3e8", "1e9", "1e10"}) : "0";
        const std::string wide = jitter ? any({"0", "10000", "500000", "3000000"}) : "0";
        return "link " + name + " " + rate + " 4000000 " + any({"20000000", "100000", "10000"}) +
               " " + wide + " " + any({"uniform", "normal", "exponential"}) + " " +
               any({"0", "0.02"}) + " 1\n";
    };
    std::string text = "link none " + unlimited + "\n", route;
    for (int i = 0; i < 3; i++) {
        const std::string n = std::to_string(i);
        text +=
            "link " + n + ".out " + any({"1e7", "1e8", "1e9", "0"}) + " 0 20000000 0 normal 0 1\n";
        text += "node n" + n + " west 10.9.0." + std::to_string(i + 1) + "/24 " + n + ".out none\n";
    }
    for (int i = 0; i < hops; i++) {
        text += link("hop" + std::to_string(i), random() % 4 != 0);
        route += " hop" + std::to_string(i);
    }
    return text + link("in", random() % 2 == 0) +
           "node n3 east 10.9.0.4/24 none in\nroute west west\nroute west east" + route +
           "\nroute east west\n";
}

/// Sequence numbers count the bytes of a source; what arrives has to go up.
void keeps_order(std::uint64_t seed, bool jitter)
{
    std::mt19937_64 random(seed);
    World world(chain(random, 1 + static_cast<int>(random() % 3), jitter), seed);
    std::map<NodeIndex, std::uint32_t> next;
    std::map<NodeIndex, Time> last;
    bool in_order = true;
    world.on_arrival = [&](const Packet &packet, Time due) {
        const std::uint32_t sequence = get32(packet.frame.bytes().data() + ip_at + 20 + 4);
        in_order = in_order && sequence >= next[packet.source] && due >= last[packet.source];
        next[packet.source] = sequence + 1;
        last[packet.source] = due;
    };
    std::map<NodeIndex, std::uint32_t> sent;
    Time now = 0;
    for (int i = 0; i < 300; i++) {
        const auto source = static_cast<NodeIndex>(random() % 3);
        const auto segments = static_cast<std::uint32_t>(random() % 3 == 0 ? random() % 40 : 0);
        const std::uint32_t payload =
            1 + segments * full_payload + static_cast<std::uint32_t>(random() % full_payload);
        world.network_switch.accept(
            source,
            tcp_frame(
                {.source = source, .destination = 3, .payload = payload, .sequence = sent[source]}),
            now);
        sent[source] += payload;
        now +=
            static_cast<Time>(random() % 4 == 0 ? random() % millisecond : random() % microsecond);
    }
    world.run();
    CHECK(in_order);
    CHECK(!world.arrivals.empty());
    if (!in_order)
        std::cerr << "with the seed " << seed << (jitter ? " and jitter" : "") << "\n";
}

} // namespace

int main()
{
    for (std::uint64_t seed = 1; seed <= 50; seed++) {
        keeps_order(seed, false);
        keeps_order(seed, true);
    }
    return conclude();
}
