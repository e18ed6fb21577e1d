// Delay, rate and the drop point, against closed forms. Times are exact but for rounding to a
// nanosecond a step.
#include "base/tests/check.h"
#include "world.h"

using namespace rankwise;
using namespace rankwise::test;

namespace
{

constexpr double gigabit_nanoseconds_per_byte = 8;

/// Each link adds its delay and the time to send the packet; nothing else does.
void delay()
{
    World world("link a.out 1e9 1000 1e6 0 normal 0 1\nlink b.in 1e8 20000 1e6 0 normal 0 1\n"
                "link up 0 5800000 0 0 normal 0 1\nlink x 0 0 0 0 normal 0 1\n"
                "node a west 10.9.0.1/24 a.out x\nnode b east 10.9.0.2/24 x b.in\n"
                "route west east up\nroute east west x\n");
    world.network_switch.accept(0, plain_frame(0, 1, 1000), 77);
    world.network_switch.accept(1, plain_frame(1, 0, 1000), 77); // no delay, no rate
    world.run();
    CHECK(world.arrivals.size() == 2);
    CHECK(world.arrivals[0].time == 77);
    CHECK(world.arrivals[1].time == 77 + 8000 + 1000 + 5800000 + 80000 + 20000);
}

/// A super-packet is cut through: over n links of one rate it takes its own time and n - 1
/// segments'.
void cut_through(const std::string &options)
{
    const std::string line = "1e9 1000 1e6 0 normal 0 1";
    World world(star(2, line, line, options));
    const Frame frame = tcp_frame({.payload = 40 * full_payload});
    const double wire = 40.0 * full_wire;
    world.network_switch.accept(0, frame.copy(), 0);
    world.run();
    CHECK(world.arrivals.size() == 1);
    CHECK_NEAR(world.arrivals[0].time, (wire + full_wire) * gigabit_nanoseconds_per_byte + 2000, 4);
}

/// Between links of different rates the slower one decides when the last segment comes.
void cut_through_rates(const std::string &out, const std::string &in)
{
    World world(star(2, out + " 0 1e6 0 normal 0 1", in + " 0 1e6 0 normal 0 1"));
    world.network_switch.accept(0, tcp_frame({.payload = 40 * full_payload}), 0);
    world.run();
    const double slow = 80, fast = 8; // nanoseconds a byte at 100 Mbit/s, at 1 Gbit/s
    CHECK(world.arrivals.size() == 1);
    CHECK_NEAR(world.arrivals[0].time, full_wire * (40 * slow + fast), 4);
}

/// n packets sent at once arrive one packet's time apart, whatever their form.
void rate(const std::string &options, std::uint32_t segments)
{
    const std::string line = "1e9 0 1e9 0 normal 0 1";
    World world(star(2, line, line, options));
    for (int i = 0; i < 1000; i++)
        world.network_switch.accept(0, tcp_frame({.payload = segments * full_payload}), 0);
    world.run();
    const double packet = segments * full_wire * gigabit_nanoseconds_per_byte;
    const double segment = full_wire * gigabit_nanoseconds_per_byte;
    CHECK(world.arrivals.size() == 1000);
    CHECK_NEAR(world.arrivals[0].time, packet + segment, 10);
    CHECK_NEAR(world.arrivals[499].time, 500 * packet + segment, 1000);
    CHECK_NEAR(world.arrivals[999].time, 1000 * packet + segment, 2000);
}

/// Of a burst, as much stays as the queue holds: floor(queue / packet), the high-water mark says so
/// too.
void drop_point(const std::string &options, std::uint32_t queue_bytes)
{
    const std::string out = "1e9 0 " + std::to_string(queue_bytes) + " 0 normal 0 1";
    World world(star(2, out, unlimited, options));
    for (int i = 0; i < 500; i++)
        world.network_switch.accept(0, tcp_frame({}), 0);
    world.run();
    const std::uint32_t expected = queue_bytes / full_wire;
    CHECK(world.arrivals.size() == expected);
    const LinkCounters counters = world.counters("0.out");
    CHECK(counters.packets == expected && counters.dropped_packets == 500 - expected);
    CHECK(counters.bytes == std::uint64_t{expected} * full_wire);
    CHECK(counters.queue_high_water_bytes == expected * full_wire);
}

/// The same burst as super-packets loses the same segments: one is split at the drop point.
void drop_point_in_super_packets(const std::string &options, std::uint32_t queue_bytes)
{
    const std::string out = "1e9 0 " + std::to_string(queue_bytes) + " 0 normal 0 1";
    World world(star(2, out, unlimited, options));
    for (int i = 0; i < 50; i++)
        world.network_switch.accept(0, tcp_frame({.payload = 10 * full_payload}), 0);
    world.run();
    std::uint32_t segments = 0;
    for (const World::Arrival &arrival : world.arrivals)
        segments += arrival.segments;
    CHECK(segments == queue_bytes / full_wire);
    CHECK(world.counters("0.out").dropped_packets == 500 - segments);
}

/// While another node's super-packet comes in, segment by segment and as fast as it goes out, a
/// single packet waits for the segment that is being sent at most. Afterwards the link has sent
/// both, not one nanosecond earlier.
void between_segments()
{
    const std::string line = "1e9 0 1e6 0 normal 0 1";
    World world(star(3, line, line));
    world.network_switch.accept(0, tcp_frame({.destination = 2, .payload = 40 * full_payload}), 0);
    const Time segment = full_wire * 8, middle = 20 * segment;
    const Frame single = plain_frame(1, 2, 1000);
    const Time own = 8 * Time{single.wire_bytes()};
    world.network_switch.accept(1, single.copy(), middle);
    world.network_switch.accept(0, tcp_frame({.destination = 2, .payload = full_payload}), middle);
    world.run();
    CHECK(world.arrivals.size() == 3);
    CHECK(world.arrivals[0].source == 1);
    CHECK(world.arrivals[0].time >= middle + 2 * own);
    CHECK(world.arrivals[0].time <= middle + 2 * own + segment);
    CHECK_NEAR(world.arrivals[2].time, 42 * segment + own, 2);
}

/// Into a link of a tenth of the rate: what has come before the single packet is sent before it.
void behind_what_has_come()
{
    const std::string fast = "1e9 0 1e6 0 normal 0 1";
    World world(star(3, fast, "1e8 0 1e6 0 normal 0 1"));
    world.network_switch.accept(0, tcp_frame({.destination = 2, .payload = 40 * full_payload}), 0);
    const Time segment = full_wire * 8;
    const Frame single = plain_frame(1, 2, 1000);
    const Time own = 8 * Time{single.wire_bytes()};
    world.network_switch.accept(1, single.copy(), 20 * segment);
    world.run();
    CHECK(world.arrivals[0].source == 1);
    // Twenty segments have come by then; the first of them was sent from `segment` on.
    CHECK_NEAR(world.arrivals[0].time, segment + 20 * 10 * segment + 10 * own, 10.0 * segment);
}

/// Twice the rate into a queue: it fills by half of what comes, so after 2 Q bytes it begins to
/// drop.
void overload(std::uint32_t segments)
{
    constexpr std::uint32_t queue_bytes = 300'000;
    World world(star(2, "2e9 0 1e9 0 normal 0 1",
                     "1e9 0 " + std::to_string(queue_bytes) + " 0 normal 0 1"));
    const Time packet = segments * full_wire * 4; // at 2 Gbit/s
    const std::uint32_t packets = 4000 / segments;
    Time first_drop = 0;
    for (std::uint32_t i = 0; i < packets; i++) {
        world.network_switch.accept(0, tcp_frame({.payload = segments * full_payload}), i * packet);
        if (first_drop == 0 && world.counters("1.in").dropped_packets > 0)
            first_drop = i * packet;
    }
    world.run();
    CHECK_NEAR(first_drop, queue_bytes * 8, 3.0 * static_cast<double>(packet));
    const LinkCounters counters = world.counters("1.in");
    CHECK_NEAR(counters.dropped_packets, (packets * segments - 2.0 * queue_bytes / full_wire) / 2,
               3.0 * segments);
    CHECK_NEAR(counters.queue_high_water_bytes, queue_bytes, segments * full_wire);
    CHECK(counters.queue_high_water_bytes <= queue_bytes);
}

/// A stream no faster than the link needs room for a packet only, although super-packets are
/// larger.
void no_queue_needed()
{
    World world(star(2, "1e9 0 1e9 0 normal 0 1", "1e9 0 4000 0 normal 0 1"));
    for (int i = 0; i < 20; i++)
        world.network_switch.accept(0, tcp_frame({.payload = 44 * full_payload}), 0);
    world.run();
    CHECK(world.counters("1.in").dropped_packets == 0);
    CHECK(world.counters("1.in").packets == 20 * 44);
}

/// Ten slow nodes fill a fast uplink together, although each one's super-packets take long to come.
void many_slow_ones()
{
    std::string text = "link up 1e9 0 1e7 0 normal 0 1\nlink x 0 0 0 0 normal 0 1\n"
                       "node sink east 10.9.0.1/24 x x\nroute west east up\nroute east west x\n"
                       "route west west\n";
    for (int i = 1; i <= 10; i++) {
        const std::string n = std::to_string(i);
        text += "link " + n + ".out 1e8 0 1e8 0 normal 0 1\nnode n" + n + " west 10.9.0." +
                std::to_string(i + 1) + "/24 " + n + ".out x\n";
    }
    World world(text);
    for (NodeIndex i = 1; i <= 10; i++)
        for (int k = 0; k < 20; k++)
            world.network_switch.accept(
                i, tcp_frame({.source = i, .destination = 0, .payload = 44 * full_payload}), 0);
    world.run();
    const double all = 10.0 * 20 * 44 * full_wire * 8; // at 1 Gbit/s
    CHECK_NEAR(world.arrivals.back().time, all, 0.01 * all);
    CHECK(world.counters("up").dropped_packets == 0);
}

} // namespace

int main()
{
    delay();
    cut_through_rates("1e8", "1e9");
    cut_through_rates("1e9", "1e8");
    for (const std::string options : {"option served_queues 1", "option served_queues 0"}) {
        cut_through(options);
        rate(options, 1);
        rate(options, 30);
        for (const std::uint32_t queue : {15'380U, 64'000U, 100'000U, 250'001U}) {
            drop_point(options, queue);
            drop_point_in_super_packets(options, queue);
        }
    }
    between_segments();
    behind_what_has_come();
    overload(1);
    overload(20);
    no_queue_needed();
    many_slow_ones();
    return conclude();
}
