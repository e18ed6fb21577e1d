// The queue of a NIC.
#pragma once
#include "host_bus.h"
#include "rate_queue.h"
#include <deque>

namespace rankwise
{

/// Decides what to send when it is time to send it, so that what happens meanwhile counts: received
/// packets take the host's bus, and acknowledgements overtake.
class ServedQueue : public RateQueue
{
  public:
    /// `bus`: null for a host without that limit.
    ServedQueue(double rate_bits_per_second, std::int64_t limit_bytes, bool acknowledgements_first,
                HostBus *bus);

    PacketPointer accept(PacketPointer packet, LinkCounters &counters, Link &link,
                         LinkEvents &events) override;
    PacketPointer serve(Time now, Link &link, LinkEvents &events) override;
    std::int64_t backlog_bytes(Time now) const override;

  private:
    PacketPointer overtake(PacketPointer packet, LinkCounters &counters);

    bool acknowledgements_first_;
    HostBus *bus_;
    std::deque<PacketPointer> waiting_;
    std::int64_t waiting_bytes_ = 0;
    Time busy_until_ = 0;
    Time overtaking_until_ = 0;
    bool event_pending_ = false;
};

} // namespace rankwise
