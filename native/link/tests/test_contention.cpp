// The patterns that tell contention models apart, on Gigabit Ethernet hosts of 2006: a bus of 1.25
// times the NIC.
//
// Fixed windows in first-in-first-out queues share proportionally, so in the zigzag 0->1<-2->3 the
// middle flow has 1/3 and the outer ones 2/3 until these end at 3/2; then it has all, and ends
// at 2. In 0->1->2 node 1 receives at full rate and can send at 1/4 until 1, then at full rate: 1 +
// 3/4.
#include "base/tests/check.h"
#include "flows.h"

using namespace rankwise;
using namespace rankwise::test;

namespace
{

std::vector<double> times_of(const std::vector<Flow> &flows, const std::string &bus)
{
    const std::string line = "1e8 50000 1000000 0 normal 0 1";
    const std::string options = "option served_queues 1\noption acknowledgements_first 1\n"
                                "option segment_limit 9000\noption bus " +
                                bus;
    std::uint64_t dropped = 0;
    // Windows of 128 KB, 4 MB a flow, super-packets of 9000 bytes.
    std::vector<double> times =
        relative_times(star(4, line, line, options), flows, 6 * full_payload, 15, 480, dropped);
    CHECK(dropped == 0);
    return times;
}

} // namespace

int main()
{
    const auto zigzag = times_of({{0, 1}, {2, 1}, {2, 3}}, "1.25");
    CHECK_NEAR(zigzag[0], 1.5, 0.045);
    CHECK_NEAR(zigzag[1], 2.0, 0.06);
    CHECK_NEAR(zigzag[2], 1.5, 0.045);

    const auto through = times_of({{0, 1}, {1, 2}}, "1.25");
    CHECK_NEAR(through[0], 1.0, 0.03);
    CHECK_NEAR(through[1], 1.75, 0.05);

    const auto two_ways = times_of({{0, 1}, {1, 2}}, "0");
    CHECK_NEAR(two_ways[0], 1.0, 0.03);
    CHECK_NEAR(two_ways[1], 1.0, 0.03);
    return conclude();
}
