#include "event_queue.h"

#include <algorithm>
#include <utility>

namespace rankwise
{

namespace
{

bool later(const Event &one, const Event &other)
{
    return one.due != other.due ? one.due > other.due : one.order > other.order;
}

} // namespace

void EventQueue::push(PacketPointer packet)
{
    const bool arrived = packet->arrived();
    const Time due = arrived ? packet->last : packet->first;
    const Urgency urgency = packet->urgency();
    push({due, pushed_++, std::move(packet), nullptr, urgency});
}

void EventQueue::push(Time due, Link &link, Urgency urgency)
{
    push({due, pushed_++, nullptr, &link, urgency});
}

void EventQueue::push(Event event)
{
    if (event.urgency != Urgency::patient)
        (event.urgency == Urgency::exact ? exact_ : prompt_).push(event.due);
    heap_.push_back(std::move(event));
    std::push_heap(heap_.begin(), heap_.end(), later);
}

std::optional<Time> EventQueue::next(Urgency urgency) const
{
    if (urgency == Urgency::patient && !heap_.empty())
        return heap_.front().due;
    std::optional<Time> next;
    if (!exact_.empty())
        next = exact_.top();
    if (urgency != Urgency::exact && !prompt_.empty())
        next = next ? std::min(*next, prompt_.top()) : prompt_.top();
    return next;
}

Event EventQueue::pop()
{
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Event event = std::move(heap_.back());
    heap_.pop_back();
    // Events are handled in the order of their times, so it is the first of its urgency.
    if (event.urgency != Urgency::patient)
        (event.urgency == Urgency::exact ? exact_ : prompt_).pop();
    return event;
}

} // namespace rankwise
