#include "delay_line.h"

#include <algorithm>

namespace rankwise
{

DelayLine::DelayLine(Time delay, Jitter jitter) : delay_(delay), jitter_(jitter)
{
}

void DelayLine::pass(Packet &packet)
{
    if (!jitter_.active()) {
        packet.first += delay_;
        packet.last += delay_;
        return;
    }
    const Time shift = std::max<Time>(0, delay_ + jitter_.draw());
    if (packet.source >= last_exits_.size())
        last_exits_.resize(packet.source + 1);
    Time &previous = last_exits_[packet.source];
    packet.first = std::max(packet.first + shift, last_exit_);
    packet.last = std::max({packet.last + shift, packet.first, previous});
    last_exit_ = packet.first;
    previous = packet.last;
}

} // namespace rankwise
