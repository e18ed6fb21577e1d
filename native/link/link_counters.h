// What went over a link.
#pragma once
#include <cstdint>

namespace rankwise
{

/// Packets are those of the wire: a super-packet counts as its segments, with the bytes of each
/// one's headers, checksum, preamble and gap.
struct LinkCounters {
    std::uint64_t packets = 0; // that entered the queue
    std::uint64_t bytes = 0;
    std::uint64_t dropped_packets = 0; // at the full queue
    std::uint64_t lost_packets = 0;    // by the loss asked for, or while the link was down
    std::int64_t queue_high_water_bytes = 0;
};

} // namespace rankwise
