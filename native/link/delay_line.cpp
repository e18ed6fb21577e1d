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
    const Time here = packet.last;
    // Not at the same time, when the next link could take the one for the other.
    const Time after_others = order_.earliest(packet.first) + 1;
    packet.first = std::max({packet.first + shift, last_exit_, after_others});
    packet.last = std::max(packet.last + shift, packet.first);
    last_exit_ = packet.first;
    order_.add(here, packet.last);
}

} // namespace rankwise
