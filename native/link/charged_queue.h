// A rate queue that needs no events of its own.
#pragma once
#include "rate_queue.h"

namespace rankwise
{

/// Charges a packet when it arrives: in a plain first-in-first-out queue its departure is then
/// already known. Only the packet's own bytes are charged, even where its segments trickle in from
/// a slower link: those of others go in between, and the link's capacity stays what it is.
class ChargedQueue : public RateQueue
{
  public:
    using RateQueue::RateQueue;

    PacketPointer accept(PacketPointer packet, LinkCounters &counters, Link &link,
                         EventQueue &events) override;
    PacketPointer serve(Time now, Link &link, EventQueue &events) override;
    std::int64_t backlog_bytes(Time now) const override;

  private:
    Time busy_until_ = 0;
};

} // namespace rankwise
