// What the description says is what is read; what is wrong in it is named with its line.
#include "base/error.h"
#include "base/network_file.h"
#include "base/tests/check.h"
#include <sstream>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

Network read(const std::string &description)
{
    std::istringstream lines(description);
    return read_network(lines, "network");
}

const std::string links = "link out 1e9 0 1000 0 normal 0 1\nlink in 1e8 5 1000 0 normal 0 1\n";
const std::string nodes = "node a west 10.1.0.1/16 out in\nnode b east 10.1.2.2/16 out in\n";
const std::string routes = "route west east\nroute east west out in\n";

void whole()
{
    const Network network =
        read("# a comment\noption mtu 9000 # another\noption segment_limit 20000\n\n"
             "option served_queues 0\noption acknowledgements_first 1\noption realtime 0\n"
             "option spin 5\noption seed 42\n"
             "link l 155000000 900000 250000 1000 exponential 0.0001 3\n" +
             links + nodes + routes + "setting a net.ipv4.tcp_rmem 1 2 3\n");
    CHECK(network.mtu_bytes == 9000 && network.segment_limit_bytes == 20000);
    CHECK(!network.served_queues && network.acknowledgements_first && network.bus == 0);
    CHECK(network.realtime_priority == 0 && network.spin == 5 && network.seed == 42U);
    const LinkSettings &link = network.links[0];
    CHECK(link.name == "l" && link.rate_bits_per_second == 155e6 && link.delay == 900'000);
    CHECK(link.queue_bytes == 250'000 && link.jitter == 1000 && link.loss == 0.0001);
    CHECK(link.distribution == JitterDistribution::exponential && link.loss_burst == 3);
    CHECK(network.nodes[1].address == 0x0a010202 && network.nodes[1].prefix_bits == 16);
    CHECK(network.nodes[1].site == "east" && network.nodes[1].out == 1);
    CHECK(network.route("east", "west")->links == std::vector<std::size_t>{1, 2});
    CHECK(network.route("west", "west") == nullptr);
    CHECK(network.nodes[0].kernel.size() == 1 && network.nodes[1].kernel.empty());
    CHECK(network.nodes[0].kernel[0].key == "net.ipv4.tcp_rmem");
    CHECK(network.nodes[0].kernel[0].value == "1 2 3");
    CHECK(address_text(network.nodes[1].address) == "10.1.2.2");
}

void defaults()
{
    const Network network = read(links + nodes + routes);
    CHECK(network.mtu_bytes == 1500 && network.segment_limit_bytes == 65536);
    CHECK(network.served_queues && !network.acknowledgements_first && !network.seed);
    CHECK(network.realtime_priority == 50 && network.spin == 100'000);
}

/// The message has to contain `words`.
void refused(const std::string &text, const std::string &words)
{
    try {
        read(text);
    } catch (const Error &error) {
        const std::string message = error.what();
        if (message.find(words) == std::string::npos)
            claim(false, message.c_str(), __FILE__, __LINE__, "expected in it: " + words);
        return;
    }
    claim(false, "it is refused", __FILE__, __LINE__, text);
}

void errors()
{
    refused("", "network: there is no node");
    refused("link", "network:1: expected: link NAME");
    refused("\n\nlinc l", "network:3: a line begins with");
    refused("option mtu 1500 1500", "network:1: expected: option NAME VALUE");
    refused("option colour 3", "network:1: there is no option colour");
    refused("option mtu many", "network:1: mtu is not a number: many");
    refused("option mtu 15oo", "not a number: 15oo");
    refused("option mtu 70000", "mtu is 70000, but must be from 576");
    refused("option spin nan", "not a number");
    refused("option mtu 1500.5", "not a whole number: 1500.5");
    refused("option mtu 1e999", "not a number: 1e999");
    refused("option mtu \xff", "network:1: this is not UTF-8 text");
    refused("link l -1 0 0 0 normal 0 1", "the rate is -1");
    refused("link l 0.5 0 0 0 normal 0 1", "below 1 bit/s");
    refused("link l 1 0 0 0 gauss 0 1", "jitter is uniform, normal or exponential, not gauss");
    refused("link l 1 0 0 0 normal 1.5 1", "the loss is 1.5");
    refused("link l 1 0 0 0 normal 0.9 2", "bursts of that length");
    refused("link l 1 0 1e12 0 normal 0 1", "more than thirty years");
    refused(links + links, "network:3: there are two links out");
    refused(links + "node a_b west 10.1.0.1/24 out in", "'a_b' is not a host name");
    refused(links + "node a west 10.1.0.1 out in", "network:3: not an IPv4 address");
    refused(links + "node a west 10.1.0.1/24 out nowhere", "there is no link nowhere");
    refused(links + nodes + "node a west 10.1.0.9/16 out in", "there are two nodes a");
    refused(links + nodes + "node c west 10.1.0.1/16 out in", "c has the address of a");
    refused(links + nodes + "node c west 10.2.0.1/16 out in", "c is not in the subnet of a");
    refused(links + "setting a net.ipv4.tcp_rmem 1", "network:3: there is no node a above");
    refused(links + nodes + "setting a kernel.hostname x", "not below net.ipv4. or net.core.");
    refused(links + nodes + "setting a net.ipv4.tcp_rmem", "expected: setting NODE KEY");
    refused(links + nodes + "route west east\nroute west east", "network:6: there are two routes");
    refused(links + nodes + "route west east", "no route from site east to site west");
    refused(links + nodes + routes + "option bus 0.5", "bus below 1");
    refused(links + nodes + routes + "option bus 1.25\noption served_queues 0", "served_queues 1");
    refused(links + nodes + routes + "option segment_limit 1000", "below the MTU");
}

} // namespace

int main()
{
    whole();
    defaults();
    errors();
    return conclude();
}
