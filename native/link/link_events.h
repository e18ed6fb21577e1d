// The events of links and packets, and how soon the next of each urgency is due.
#pragma once
#include "base/event_queue.h"
#include "base/virtual_time.h"
#include "packet.h"
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace rankwise
{

/// Either a packet reaches its next link (or its end), or a link's served queue is due, or, with
/// both, a packet that a link has not lost reaches its queue.
struct LinkEvent {
    PacketPointer packet;
    Link *link;
    Urgency urgency;
};

/// Each event is handled as if it were the time at which it is due, however late the process wakes
/// up: lateness does not add up over links.
class LinkEvents
{
  public:
    using Event = EventQueue<LinkEvent>::Event;

    /// At its end a packet is due when its last segment is there, on the way when its first is.
    void push(PacketPointer packet);
    void push(PacketPointer packet, Link &link);
    void push(Time due, Link &link, Urgency urgency);
    /// Return when the first is due of all events that are at least so urgent.
    std::optional<Time> next(Urgency urgency = Urgency::patient) const;
    Event pop();

  private:
    void push(Time due, LinkEvent event);

    EventQueue<LinkEvent> events_;
    using Times = std::priority_queue<Time, std::vector<Time>, std::greater<>>;
    Times prompt_, exact_; // when events of these are due
};

} // namespace rankwise
