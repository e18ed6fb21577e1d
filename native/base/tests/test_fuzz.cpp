// Whatever is in a network file, it is read or refused with its line; what is read keeps its
// promises.
#include "base/error.h"
#include "base/network_file.h"
#include "base/tests/check.h"
#include "base/tests/mutation.h"
#include "base/word_file.h"
#include <algorithm>
#include <cmath>
#include <sstream>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

const std::string valid =
    "# two sites\noption mtu 9000\noption segment_limit 20000\noption served_queues 1\n"
    "option bus 1.25\noption realtime 0\noption spin 5\noption seed 42\n"
    "link l 155000000 900000 250000 1000 exponential 0.0001 3\n"
    "link out 1e9 0 1000 0 normal 0 1\nlink in 1e8 5 1000 0 uniform 0 1\n"
    "node a west 10.1.0.1/16 out in\nnode b east 10.1.2.2/16 out in\n"
    "setting a net.ipv4.tcp_rmem 1 2 3\nroute west east l\nroute east west out in\n";

const std::vector<std::string> tokens = {"option",
                                         "link",
                                         "node",
                                         "route",
                                         "setting",
                                         "#",
                                         "mtu",
                                         "a",
                                         "b",
                                         "west",
                                         "east",
                                         "out",
                                         "in",
                                         "l",
                                         "0",
                                         "-0",
                                         "-1",
                                         "1e308",
                                         "1e-308",
                                         "1e999",
                                         "inf",
                                         "nan",
                                         "9223372036854775808",
                                         "0.5",
                                         "1e12",
                                         "1e13",
                                         "255.255.255.255/30",
                                         "0.0.0.0/1",
                                         "10.1.0.1/",
                                         "10.1.0.1/33",
                                         "/",
                                         "\xff\xfe",
                                         "\xc3",
                                         "\xe2\x82\xac",
                                         std::string(1, '\0'),
                                         std::string(5000, '9'),
                                         std::string(70'000, 'x'),
                                         "\r",
                                         "..",
                                         "net.ipv4...",
                                         "net.core.x",
                                         "normal",
                                         "bus",
                                         "seed",
                                         "spin"};

void check_link(const LinkSettings &one)
{
    CHECK(is_text(one.name) && !one.name.empty());
    CHECK(one.rate_bits_per_second == 0 ||
          (one.rate_bits_per_second >= 1 && one.rate_bits_per_second <= 1e13));
    CHECK(one.delay >= 0 && one.queue_bytes >= 0 && one.jitter >= 0);
    CHECK(one.loss >= 0 && one.loss <= 1 && one.loss_burst >= 1);
}

void check_network(const Network &network)
{
    CHECK(!network.nodes.empty());
    CHECK(network.mtu_bytes >= 576 && network.segment_limit_bytes >= network.mtu_bytes);
    CHECK(network.bus == 0 || network.bus >= 1);
    for (const LinkSettings &one : network.links)
        check_link(one);
    for (const NodeSettings &one : network.nodes) {
        CHECK(is_host_name(one.name) && is_text(one.site));
        CHECK(one.out < network.links.size() && one.in < network.links.size());
        for (const KernelSetting &setting : one.kernel)
            CHECK(is_network_setting(setting.key) && !setting.value.empty());
        for (const NodeSettings &other : network.nodes)
            CHECK(&one == &other || network.route(one.site, other.site) != nullptr);
    }
    for (const RouteSettings &route : network.routes)
        for (const std::size_t link : route.links)
            CHECK(link < network.links.size());
}

/// True: it was read.
bool try_to_read(const std::string &text)
{
    std::istringstream lines(text);
    try {
        check_network(read_network(lines, "network"));
        return true;
    } catch (const Error &error) {
        const std::string message = error.what();
        CHECK(error.exit_code() == kExitInput);
        CHECK(message.starts_with("network:"));
        CHECK(is_text(message));
        return false;
    }
}

} // namespace

int main()
{
    Mutation mutation(20061130, tokens);
    CHECK(try_to_read(valid));
    int read = 0, refused = 0;
    for (int i = 0; i < 20'000; i++)
        (try_to_read(mutation.damaged(valid)) ? read : refused)++;
    CHECK(read > 500 && refused > 5000); // both happen, or nothing was tested
    std::cout << read << " read, " << refused << " refused\n";
    for (std::size_t length = 0; length < valid.size(); length++)
        try_to_read(valid.substr(0, length));
    return conclude();
}
