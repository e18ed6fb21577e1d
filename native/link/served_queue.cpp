#include "served_queue.h"

#include <algorithm>
#include <utility>

namespace rankwise
{

ServedQueue::ServedQueue(double rate_bits_per_second, std::int64_t limit_bytes,
                         bool acknowledgements_first, HostBus *bus)
    : RateQueue(rate_bits_per_second, limit_bytes), acknowledgements_first_(acknowledgements_first),
      bus_(bus)
{
}

std::int64_t ServedQueue::backlog_bytes(Time now) const
{
    return waiting_bytes_ + bytes_sent_in(std::max<Time>(0, busy_until_ - now));
}

PacketPointer ServedQueue::accept(PacketPointer packet, LinkCounters &counters, Link &link,
                                  LinkEvents &events)
{
    const Time now = packet->first;
    if (acknowledgements_first_ && packet->frame.pure_acknowledgement())
        return overtake(std::move(packet), counters);
    if (!admit(*packet, backlog_bytes(now), counters))
        return nullptr;
    waiting_bytes_ += packet->frame.wire_bytes();
    waiting_.push_back(std::move(packet));
    if (!event_pending_) {
        event_pending_ = true;
        events.push(std::max(now, busy_until_), link, waiting_.front()->urgency());
    }
    return nullptr;
}

/// Goes between two segments of what is being sent; that is done later by as much.
PacketPointer ServedQueue::overtake(PacketPointer packet, LinkCounters &counters)
{
    const Time now = packet->first;
    const Time start = std::max(now, overtaking_until_);
    if (!admit(*packet, bytes_sent_in(start - now), counters))
        return nullptr;
    const Time own = duration(packet->frame.wire_bytes());
    overtaking_until_ = start + own;
    busy_until_ = std::max(busy_until_, now) + own;
    if (bus_ != nullptr)
        bus_->take(now, packet->frame.wire_bytes());
    time_departure(*packet, start);
    return packet;
}

PacketPointer ServedQueue::serve(Time now, Link &link, LinkEvents &events)
{
    event_pending_ = !waiting_.empty();
    if (!event_pending_)
        return nullptr;
    const Time bus_wait = bus_ == nullptr ? 0 : bus_->wait(now);
    const Time wait = std::max(busy_until_ - now, bus_wait);
    if (wait > 0) { // an acknowledgement has overtaken, or the host receives
        events.push(now + wait, link, waiting_.front()->urgency());
        return nullptr;
    }
    PacketPointer packet = std::move(waiting_.front());
    waiting_.pop_front();
    const std::int64_t bytes = packet->frame.wire_bytes();
    waiting_bytes_ -= bytes;
    if (bus_ != nullptr)
        bus_->take(now, bytes);
    time_departure(*packet, now);
    busy_until_ = now + duration(bytes);
    event_pending_ = !waiting_.empty();
    if (event_pending_)
        events.push(busy_until_, link, waiting_.front()->urgency());
    return packet;
}

} // namespace rankwise
