// The share and the runs of lost packets, within intervals that a right emulator leaves once in 15
// 000 tests.
#include "base/tests/check.h"
#include "link/loss.h"
#include "world.h"
#include <cmath>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

constexpr double sigmas = 4;

struct Runs {
    double lost = 0;
    double bursts = 0;
};

Runs draw(double ratio, double burst, int packets, std::uint64_t seed)
{
    Loss loss(ratio, burst, seed);
    Runs runs;
    bool before = false;
    for (int i = 0; i < packets; i++) {
        const bool now = loss.next_is_lost();
        runs.lost += now;
        runs.bursts += now && !before;
        before = now;
    }
    return runs;
}

/// Each by itself: binomial, and runs of mean length 1 / (1 - p).
void bernoulli(double ratio)
{
    constexpr int packets = 400'000;
    const Runs runs = draw(ratio, 1, packets, 11);
    CHECK_NEAR(runs.lost / packets, ratio, sigmas * std::sqrt(ratio * (1 - ratio) / packets));
    const double length = 1 / (1 - ratio), spread = std::sqrt(ratio) * length;
    CHECK_NEAR(runs.lost / runs.bursts, length, sigmas * spread / std::sqrt(runs.bursts));
}

/// In bursts: geometric lengths with the mean asked for; neighbours correlate, so the share's
/// variance is that of independent packets times (1 + r) / (1 - r), r = P(bad | bad) - P(bad |
/// good).
void gilbert(double ratio, double burst)
{
    constexpr int packets = 2'000'000;
    const Runs runs = draw(ratio, burst, packets, 12);
    const double r = 1 - 1 / burst - ratio / (1 - ratio) / burst;
    CHECK_NEAR(runs.lost / packets, ratio,
               sigmas * std::sqrt(ratio * (1 - ratio) / packets * (1 + r) / (1 - r)));
    const double spread = std::sqrt(1 - 1 / burst) * burst;
    CHECK_NEAR(runs.lost / runs.bursts, burst, sigmas * spread / std::sqrt(runs.bursts));
}

/// On a link; super-packets lose segments as single packets do, and what is left arrives in pieces.
void on_a_link(std::uint32_t segments)
{
    constexpr double ratio = 0.02;
    constexpr std::uint32_t total = 120'000;
    World world(star(2, unlimited, "1e9 0 1e9 0 normal 0.02 1"), 5);
    for (std::uint32_t i = 0; i < total / segments; i++)
        world.network_switch.accept(0, tcp_frame({.payload = segments * full_payload}), 0);
    world.run();
    std::uint32_t arrived = 0;
    for (const World::Arrival &arrival : world.arrivals)
        arrived += arrival.segments;
    const LinkCounters counters = world.counters("1.in");
    CHECK(arrived == counters.packets && counters.dropped_packets == 0);
    CHECK(counters.packets + counters.lost_packets == total);
    CHECK_NEAR(static_cast<double>(counters.lost_packets) / total, ratio,
               sigmas * std::sqrt(ratio * (1 - ratio) / total));
    // A super-packet of n is cut wherever a run of losses lies between two survivors.
    const double kept = 1 - ratio, n = segments;
    const double pieces = total / n * (kept + (n - 1) * ratio * kept);
    CHECK_NEAR(world.arrivals.size(), pieces, 0.02 * pieces);
}

/// A super-packet that comes from a slow NIC over 49 ms loses segments on a link which is idle in
/// between: nobody else's packets wait there for those that have not come yet.
void behind_a_slow_nic(const std::string &queue)
{
    const std::string fast = "1e9 0 1000000 0 normal 0 1";
    World world("link 0.out 1e7 0 1000000 0 normal 0 1\nlink 1.out " + fast +
                    "\nlink there 1e9 0 " + queue + " 0 normal 0.1 1\nlink in " + unlimited +
                    "\nnode n0 west 10.9.0.1/24 0.out in\nnode n1 west 10.9.0.2/24 1.out in\n"
                    "node n2 east 10.9.0.3/24 in in\nroute west west\nroute west east there\n"
                    "route east west\n",
                7);
    constexpr int others = 200;
    constexpr Time gap = 300 * microsecond, own = 1000 * 8, segment = full_wire * 8;
    world.network_switch.accept(0, tcp_frame({.destination = 2, .payload = 40 * full_payload}), 0);
    for (int i = 0; i < others; i++)
        world.network_switch.accept(1, plain_frame(1, 2, 1000), i * gap);
    world.run();
    const LinkCounters counters = world.counters("there");
    CHECK(counters.dropped_packets == 0);
    CHECK(counters.packets + counters.lost_packets == others + 40);
    CHECK(counters.queue_high_water_bytes <= full_wire + 1000);
    std::uint32_t slow = 0;
    for (const World::Arrival &arrival : world.arrivals)
        if (arrival.source == 0)
            slow += arrival.segments;
        else
            CHECK(arrival.time % gap <= 2 * own + segment); // a segment may be in the way
    CHECK(slow >= 30 && slow < 40 && world.arrivals.size() > others * 4 / 5);
}

void none_and_all()
{
    CHECK(!Loss(0, 1, 1).active());
    CHECK(draw(0, 5, 1000, 1).lost == 0);
    CHECK(draw(1, 1, 1000, 1).lost == 1000);
}

void seeds()
{
    Loss one(0.5, 1, 1), same(0.5, 1, 1), other(0.5, 1, 2);
    int agreements = 0;
    for (int i = 0; i < 1000; i++) {
        const bool lost = one.next_is_lost();
        CHECK(lost == same.next_is_lost());
        agreements += lost == other.next_is_lost();
    }
    CHECK_NEAR(agreements, 500, sigmas * std::sqrt(250));
}

} // namespace

int main()
{
    for (const double ratio : {0.0001, 0.01, 0.3})
        bernoulli(ratio);
    gilbert(0.01, 5);
    gilbert(0.2, 2);
    gilbert(0.5, 20);
    on_a_link(1);
    on_a_link(40);
    behind_a_slow_nic("1000000");
    behind_a_slow_nic("4000");
    none_and_all();
    seeds();
    return conclude();
}
