#include "charged_queue.h"

#include <algorithm>

namespace rankwise
{

PacketPointer ChargedQueue::accept(PacketPointer packet, LinkCounters &counters, Link &,
                                   EventQueue &)
{
    if (!admit(*packet, backlog_bytes(packet->first), counters))
        return nullptr;
    const Time start = std::max(busy_until_, packet->first);
    time_departure(*packet, start);
    busy_until_ = start + duration(packet->frame.wire_bytes());
    return packet;
}

PacketPointer ChargedQueue::serve(Time, Link &, EventQueue &)
{
    return nullptr;
}

std::int64_t ChargedQueue::backlog_bytes(Time now) const
{
    return bytes_sent_in(std::max<Time>(0, busy_until_ - now));
}

} // namespace rankwise
