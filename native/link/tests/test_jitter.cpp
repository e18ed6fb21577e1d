// Jitter has the distribution asked for, and does not reorder.
#include "base/tests/check.h"
#include "world.h"
#include <algorithm>
#include <cmath>
#include <vector>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

constexpr Time delay = 10 * millisecond, scale = 500 * microsecond;

std::string with_jitter(const std::string &distribution)
{
    return "0 " + std::to_string(delay) + " 0 " + std::to_string(scale) + " " + distribution +
           " 0 1";
}

/// In units of the scale, without the delay, sorted. So far apart that none catches up with
/// another.
std::vector<double> draw(const std::string &distribution, int packets)
{
    World world(star(2, unlimited, with_jitter(distribution)), 3);
    std::vector<double> extra;
    for (int i = 0; i < packets; i++)
        world.network_switch.accept(0, plain_frame(0, 1, 100), i * second);
    world.run();
    for (int i = 0; i < packets; i++)
        extra.push_back(static_cast<double>(world.arrivals[static_cast<std::size_t>(i)].time -
                                            i * second - delay) /
                        double{scale});
    std::sort(extra.begin(), extra.end());
    return extra;
}

/// Kolmogorov and Smirnov: a right emulator is above 1.95 once in 1000 tests; the seed is fixed.
template <typename Cumulative>
void check_distribution(const std::string &distribution, Cumulative cumulative)
{
    const std::vector<double> extra = draw(distribution, 20'000);
    const auto count = static_cast<double>(extra.size());
    double distance = 0, rank = 0;
    for (const double value : extra) {
        distance = std::max({distance, std::abs(cumulative(value) - rank / count),
                             std::abs(cumulative(value) - (rank + 1) / count)});
        rank++;
    }
    CHECK(distance * std::sqrt(count) < 1.95);
}

void no_reordering(const std::string &distribution, std::uint32_t segments)
{
    World world(star(3, "1e8 0 1e9 0 normal 0 1", with_jitter(distribution)), 4);
    std::vector<Time> last(3, 0);
    std::vector<std::uint32_t> next(3, 0);
    world.on_arrival = [&](const Packet &packet, Time due) {
        CHECK(due >= last[packet.source]);
        last[packet.source] = due;
        CHECK(get32(packet.frame.bytes().data() + ip_at + 20 + 4) == next[packet.source]++);
    };
    for (std::uint32_t i = 0; i < 1000; i++)
        for (NodeIndex source = 1; source < 3; source++)
            world.network_switch.accept(source,
                                        tcp_frame({.source = source,
                                                   .destination = 0,
                                                   .payload = segments * full_payload,
                                                   .sequence = i}),
                                        i * 50 * microsecond);
    world.run();
    CHECK(next[1] == 1000 && next[2] == 1000);
}

/// A packet cannot arrive before it was sent, however wide the jitter.
void never_negative()
{
    World world(star(2, unlimited, "0 1000 0 1000000 normal 0 1"), 3);
    for (int i = 0; i < 1000; i++)
        world.network_switch.accept(0, plain_frame(0, 1, 100), i * second);
    world.run();
    for (int i = 0; i < 1000; i++)
        CHECK(world.arrivals[static_cast<std::size_t>(i)].time >= i * second);
}

} // namespace

int main()
{
    check_distribution("uniform", [](double x) { return std::clamp((x + 1) / 2, 0.0, 1.0); });
    check_distribution("normal", [](double x) { return std::erfc(-x / std::sqrt(2)) / 2; });
    check_distribution("exponential", [](double x) { return x <= 0 ? 0 : 1 - std::exp(-x); });
    for (const char *distribution : {"uniform", "normal", "exponential"}) {
        no_reordering(distribution, 1);
        no_reordering(distribution, 20);
    }
    never_negative();
    return conclude();
}
