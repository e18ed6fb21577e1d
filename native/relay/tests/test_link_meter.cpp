// The window is that with which one connection fills the link, and follows the link.
#include "base/tests/check.h"
#include "link_meter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace rankwise;
using namespace rankwise::relay;
using namespace rankwise::test;

namespace
{

constexpr std::uint64_t kMost = 64 << 20;

/// What goes through with this window: that of a window in the time until it is acknowledged, an
/// eighth of it later than a round trip, or all that the link carries.
double rate_with(double window, double capacity, double rtt)
{
    return std::min(capacity, 7.0 / 8 * window / rtt);
}

void test_the_window_of_a_link()
{
    CHECK(window_for(125e6, 0.02, kMost) == 5'000'000);     // 1 Gbit/s and 20 ms: 2.5 MB, twice
    CHECK(window_for(125e6, 50e-6, kMost) == kLeastWindow); // a local network
    CHECK(window_for(1.25e9, 0.27, kMost) == kMost);        // 10 Gbit/s around the world: 675 MB
    CHECK(window_for(1e300, 1e10, kMost) == kMost);
    CHECK(window_for(0, 0.02, 65536) == 65536); // what was asked for at most is less than the least
}

void test_it_fills_the_link_also_with_a_longer_round_trip()
{
    for (const double rtt : {0.01, 0.02, 0.1})
        for (const double capacity : {12.5e6, 100e6}) {
            const auto window = static_cast<double>(window_for(capacity, rtt, kMost));
            CHECK(rate_with(window, capacity, rtt) == capacity);
            // With a round trip of 1.75 rtt: window = rate * (1.75 rtt + window / (8 rate)).
            const double rate = (window - window / 8) / (1.75 * rtt);
            CHECK(rate >= capacity * 0.999);
        }
}

void test_it_grows_until_the_link_is_full()
{
    constexpr double kCapacity = 500e6, kRtt = 0.03;
    LinkMeter meter(kMost);
    CHECK(meter.window() == kFirstWindow);
    int steps = 0;
    for (; meter.window() < window_for(kCapacity, kRtt, kMost) && steps < 100; steps++) {
        const auto window = static_cast<double>(meter.window());
        // As long as the window is what limits it, TCP has nothing more to send.
        const double rate = rate_with(window, kCapacity, kRtt);
        meter.add(1 + 0.1 * steps, {rate, kRtt, rate < kCapacity});
        CHECK(static_cast<double>(meter.window()) > 1.74 * window || rate == kCapacity);
    }
    // 7/4 each time, from 4 MiB to what lets the capacity through, and once more.
    const double needed = 8.0 / 7 * kCapacity * kRtt / static_cast<double>(kFirstWindow);
    CHECK(steps == static_cast<int>(std::ceil(std::log(needed) / std::log(1.75))) + 1);
    CHECK(meter.window() == window_for(kCapacity, kRtt, kMost));
    CHECK(meter.best().rate == kCapacity && meter.pacing_rate() == 2 * kCapacity);
}

void test_small_messages_and_pauses_leave_it()
{
    LinkMeter meter(kMost);
    for (int turn = 0; turn < 1000; turn++)
        meter.add(0.1 * turn, {1e5, 0.02, true});
    CHECK(meter.window() == kFirstWindow && meter.pacing_rate() == 0);
    meter.add(101, {0, 0, true}); // a kernel that knows nothing
    CHECK(meter.window() == kFirstWindow);
}

void test_a_link_that_became_slower_gets_a_smaller_one_later()
{
    LinkMeter meter(kMost);
    meter.add(1, {500e6, 0.03, false});
    const std::uint64_t wide = meter.window();
    meter.add(5, {50e6, 0.03, false});
    CHECK(meter.window() == wide);
    meter.add(12, {50e6, 0.03, false});
    CHECK(meter.window() == wide); // for ten seconds more
    meter.add(23, {50e6, 0.03, false});
    CHECK(meter.window() == 3'000'000);
}

void test_a_short_link_is_not_paced_and_no_window_is_above_the_most()
{
    LinkMeter meter(1 << 20);
    CHECK(meter.window() == 1 << 20);
    meter.add(1, {10e9, 50e-6, false});
    CHECK(meter.window() == 1 << 20);
    CHECK(meter.pacing_rate() == 0);
}

} // namespace

int main()
{
    test_the_window_of_a_link();
    test_it_fills_the_link_also_with_a_longer_round_trip();
    test_it_grows_until_the_link_is_full();
    test_small_messages_and_pauses_leave_it();
    test_a_link_that_became_slower_gets_a_smaller_one_later();
    test_a_short_link_is_not_paced_and_no_window_is_above_the_most();
    return conclude();
}
