// A rate queue that needs no events of its own.
#pragma once
#include "fifo_order.h"
#include "rate_queue.h"
#include <vector>

namespace rankwise
{

/// Charges a packet when it arrives: in a plain first-in-first-out queue its departure is then
/// already known. Only the packet's own bytes are charged, even where its segments trickle in from
/// a slower link: those of others go in between, and the link's capacity stays what it is. A single
/// packet really does go in between: it waits for those that came before it only.
class ChargedQueue : public RateQueue
{
  public:
    using RateQueue::RateQueue;

    PacketPointer accept(PacketPointer packet, LinkCounters &counters, Link &link,
                         LinkEvents &events) override;
    PacketPointer serve(Time now, Link &link, LinkEvents &events) override;
    std::int64_t backlog_bytes(Time now) const override;

  private:
    /// A super-packet whose segments are charged already, but are not all here.
    struct Arriving {
        Time first;
        Time last;
        Time duration; // of sending all but the first, which is here
    };

    /// How long it takes to send what is charged and not yet here.
    Time coming(Time now) const;

    std::vector<Arriving> arriving_;
    FifoOrder order_;
    Time busy_until_ = 0;
};

} // namespace rankwise
