#include "rate_queue.h"

#include <algorithm>
#include <cmath>

namespace rankwise
{

RateQueue::RateQueue(double rate_bits_per_second, std::int64_t limit_bytes)
    : nanoseconds_per_byte_(8e9 / rate_bits_per_second), limit_bytes_(limit_bytes)
{
}

std::int64_t RateQueue::limit_bytes() const
{
    return limit_bytes_;
}

Time RateQueue::duration(std::int64_t bytes) const
{
    return std::llround(static_cast<double>(bytes) * nanoseconds_per_byte_);
}

std::int64_t RateQueue::bytes_sent_in(Time duration) const
{
    return std::llround(static_cast<double>(duration) / nanoseconds_per_byte_);
}

bool RateQueue::admit(Packet &packet, std::int64_t backlog, LinkCounters &counters) const
{
    Frame &frame = packet.frame;
    const std::int64_t segment = frame.segment_wire_bytes();
    const std::int64_t sent_meanwhile = bytes_sent_in(packet.last - packet.first);
    const std::int64_t room = limit_bytes_ - backlog;
    if (segment > room || frame.wire_bytes() > room + sent_meanwhile) {
        const std::int64_t fit = segment > room ? 0 : (room + sent_meanwhile) / segment;
        const auto kept =
            static_cast<std::uint32_t>(std::clamp<std::int64_t>(fit, 0, frame.segments() - 1));
        counters.dropped_packets += frame.segments() - kept;
        if (kept == 0)
            return false;
        frame.truncate(kept);
    }
    counters.packets += frame.segments();
    counters.bytes += frame.wire_bytes();
    const std::int64_t peak =
        backlog + std::max<std::int64_t>(segment, frame.wire_bytes() - sent_meanwhile);
    counters.queue_high_water_bytes = std::max(counters.queue_high_water_bytes, peak);
    return true;
}

void RateQueue::time_departure(Packet &packet, Time start) const
{
    const Time segment = duration(packet.frame.segment_wire_bytes());
    packet.last = std::max(start + duration(packet.frame.wire_bytes()), packet.last + segment);
    packet.first = std::min(start + segment, packet.last);
}

} // namespace rankwise
