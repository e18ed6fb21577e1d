#include "charged_queue.h"

#include <algorithm>

namespace rankwise
{

PacketPointer ChargedQueue::accept(PacketPointer packet, LinkCounters &counters, Link &,
                                   LinkEvents &)
{
    if (!admit(*packet, backlog_bytes(packet->first), counters))
        return nullptr;
    const Time now = packet->first, wait = std::max<Time>(0, busy_until_ - now);
    const Time own = duration(packet->frame.wire_bytes());
    busy_until_ = now + wait + own;
    std::erase_if(arriving_, [now](const Arriving &one) { return one.last <= now; });
    const Time here = packet->last, least = order_.earliest(now);
    if (packet->frame.segments() == 1) { // what has not yet come does not hold it up
        time_departure(*packet, std::max(least, now + std::max<Time>(0, wait - coming(now))));
    } else {
        if (here > now)
            arriving_.push_back({now, here, own - duration(packet->frame.segment_wire_bytes())});
        time_departure(*packet, std::max(least, now + wait));
    }
    order_.add(here, packet->last);
    return packet;
}

Time ChargedQueue::coming(Time now) const
{
    double sum = 0;
    for (const Arriving &one : arriving_)
        sum += static_cast<double>(one.duration) * static_cast<double>(one.last - now) /
               static_cast<double>(one.last - one.first);
    return static_cast<Time>(sum);
}

PacketPointer ChargedQueue::serve(Time, Link &, LinkEvents &)
{
    return nullptr;
}

std::int64_t ChargedQueue::backlog_bytes(Time now) const
{
    return bytes_sent_in(std::max<Time>(0, busy_until_ - now));
}

} // namespace rankwise
