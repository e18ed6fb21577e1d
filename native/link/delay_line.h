// The effect: packets arrive later.
#pragma once
#include "base/virtual_time.h"
#include "fifo_order.h"
#include "jitter.h"
#include "packet.h"

namespace rankwise
{

/// Shifts both times of a packet by the delay and its jitter, never below 0. Jitter does not
/// reorder the packets of a link, as the queues of real routers, which it stands for, do not: a
/// packet that would overtake another follows it. So where packets follow one another
/// more closely than the jitter is wide, the delays are those of the slowest in front.
class DelayLine
{
  public:
    DelayLine(Time delay, Jitter jitter);

    void pass(Packet &packet);

  private:
    Time delay_;
    Jitter jitter_;
    FifoOrder order_;
    Time last_exit_ = 0; // of a first segment
};

} // namespace rankwise
