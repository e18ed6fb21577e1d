#include "back_pressure.h"

#include "frame.h"
#include <algorithm>

namespace rankwise
{

std::optional<netlink::Shaping> back_pressure(const Network &network, const LinkSettings &out,
                                              int segment_limit_bytes)
{
    if (!network.served_queues || out.rate_bits_per_second == 0 || network.bus > 0 ||
        network.acknowledgements_first)
        return std::nullopt;
    constexpr double trifle =
        0.9995; // at the NIC's own rate, its queue would drift up to its limit
    constexpr double late_timer_seconds = 3e-3; // that much may be sent at once after a late timer
    constexpr double lossless = 1 << 26;        // the nodes' sockets run full before
    const double rate = out.rate_bits_per_second / 8 * trifle;
    const double frame = network.mtu_bytes + 14;
    const bool super_packets = segment_limit_bytes > network.mtu_bytes;
    const double most = std::max(2.0 * segment_limit_bytes, rate * late_timer_seconds);
    const double least = segment_limit_bytes + 1000.0;

    netlink::Shaping shaping{};
    // tbf adds the overhead once to each packet it sees. Of a super-packet it counts every
    // segment's headers but not what the wire adds, so then the rate is lowered as full segments
    // need it.
    shaping.overhead_bytes = super_packets ? 0 : Frame::wire_overhead_bytes;
    shaping.rate_bytes_per_second =
        super_packets ? rate * frame / (frame + Frame::wire_overhead_bytes) : rate;
    shaping.burst_bytes = static_cast<std::uint32_t>(
        std::max(least, std::min(most, static_cast<double>(out.queue_bytes) / 2)));
    shaping.limit_bytes = static_cast<std::uint32_t>(lossless);
    return shaping;
}

} // namespace rankwise
