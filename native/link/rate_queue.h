// The effect: a link has a rate, and a queue in front of it that ends somewhere.
#pragma once
#include "base/virtual_time.h"
#include "link_counters.h"
#include "link_events.h"
#include "packet.h"
#include <cstdint>

namespace rankwise
{

/// Tail drop by bytes: a packet that does not fit is dropped, of a super-packet the segments that
/// do not fit. The packet that is being sent occupies the queue with what of it is not yet sent.
class RateQueue
{
  public:
    RateQueue(double rate_bits_per_second, std::int64_t limit_bytes);
    virtual ~RateQueue() = default;
    RateQueue(const RateQueue &) = delete;
    RateQueue &operator=(const RateQueue &) = delete;

    /// Takes the packet at the time `packet->first`. Returns it with the times at which it has
    /// left, or nothing if it was dropped or has to wait for `serve`.
    virtual PacketPointer accept(PacketPointer packet, LinkCounters &counters, Link &link,
                                 LinkEvents &events) = 0;
    /// The next packet that leaves, if any does now.
    virtual PacketPointer serve(Time now, Link &link, LinkEvents &events) = 0;
    /// What waits, with what is not yet sent of the packet that is being sent.
    virtual std::int64_t backlog_bytes(Time now) const = 0;
    std::int64_t limit_bytes() const;

  protected:
    Time duration(std::int64_t bytes) const;
    std::int64_t bytes_sent_in(Time duration) const;
    /// Drops what exceeds the limit and counts; false: nothing is left. `backlog`: what the packet
    /// finds. While a super-packet's segments come one after another, those before them are sent
    /// already.
    bool admit(Packet &packet, std::int64_t backlog, LinkCounters &counters) const;
    /// Sets both times of a packet whose sending starts at `start`: a super-packet is sent segment
    /// by segment, and not before its segments are here.
    void time_departure(Packet &packet, Time start) const;

  private:
    double nanoseconds_per_byte_;
    std::int64_t limit_bytes_;
};

} // namespace rankwise
