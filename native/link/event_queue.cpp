#include "event_queue.h"

#include "link.h"
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
    const bool urgent = arrived || !packet->path[packet->hop]->patient();
    push({due, pushed_++, std::move(packet), nullptr, urgent});
}

void EventQueue::push(Time due, Link &link)
{
    push({due, pushed_++, nullptr, &link, !link.patient()});
}

void EventQueue::push(Event event)
{
    if (event.urgent)
        urgent_.push(event.due);
    heap_.push_back(std::move(event));
    std::push_heap(heap_.begin(), heap_.end(), later);
}

std::optional<Time> EventQueue::next() const
{
    if (heap_.empty())
        return std::nullopt;
    return heap_.front().due;
}

std::optional<Time> EventQueue::next_urgent() const
{
    if (urgent_.empty())
        return std::nullopt;
    return urgent_.top();
}

Event EventQueue::pop()
{
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Event event = std::move(heap_.back());
    heap_.pop_back();
    if (event.urgent) // events are handled in the order of their times, so it is the first of these
        urgent_.pop();
    return event;
}

} // namespace rankwise
