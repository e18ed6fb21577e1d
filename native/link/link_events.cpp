#include "link_events.h"

#include <algorithm>
#include <utility>

namespace rankwise
{

void LinkEvents::push(PacketPointer packet)
{
    const bool arrived = packet->arrived();
    const Time due = arrived ? packet->last : packet->first;
    const Urgency urgency = packet->urgency();
    push(due, {std::move(packet), nullptr, urgency});
}

void LinkEvents::push(PacketPointer packet, Link &link)
{
    const Time due = packet->first;
    const Urgency urgency = packet->urgency();
    push(due, {std::move(packet), &link, urgency});
}

void LinkEvents::push(Time due, Link &link, Urgency urgency)
{
    push(due, {nullptr, &link, urgency});
}

void LinkEvents::push(Time due, LinkEvent event)
{
    if (event.urgency != Urgency::patient)
        (event.urgency == Urgency::exact ? exact_ : prompt_).push(due);
    events_.push(due, std::move(event));
}

std::optional<Time> LinkEvents::next(Urgency urgency) const
{
    if (urgency == Urgency::patient)
        return events_.next();
    std::optional<Time> next;
    if (!exact_.empty())
        next = exact_.top();
    if (urgency != Urgency::exact && !prompt_.empty())
        next = next ? std::min(*next, prompt_.top()) : prompt_.top();
    return next;
}

LinkEvents::Event LinkEvents::pop()
{
    Event event = events_.pop();
    // Events are handled in the order of their times, so it is the first of its urgency.
    if (event.what.urgency != Urgency::patient)
        (event.what.urgency == Urgency::exact ? exact_ : prompt_).pop();
    return event;
}

} // namespace rankwise
