// What happens next, in virtual time.
#pragma once
#include "packet.h"
#include "virtual_time.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace rankwise
{

/// Either a packet reaches its next link (or its end), or a link's served queue is due.
struct Event {
    Time due;
    std::uint64_t order;
    PacketPointer packet;
    Link *link;
    Urgency urgency;
};

/// Events of one time come in the order in which they were put in. Each has the time at which it is
/// due and is handled as if it were that time, however late the process wakes up: lateness does not
/// add up over links.
class EventQueue
{
  public:
    /// At its end a packet is due when its last segment is there, on the way when its first is.
    void push(PacketPointer packet);
    void push(Time due, Link &link, Urgency urgency);
    /// Of all events that are at least so urgent.
    std::optional<Time> next(Urgency urgency = Urgency::patient) const;
    Event pop();

  private:
    void push(Event event);

    std::vector<Event> heap_;
    using Times = std::priority_queue<Time, std::vector<Time>, std::greater<>>;
    Times prompt_, exact_; // when events of these are due
    std::uint64_t pushed_ = 0;
};

} // namespace rankwise
