// What happens next, in virtual time, whatever it is.
#pragma once
#include "virtual_time.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rankwise
{

/// An event queue returns what was put in by the times at which it is due, and in the order in
/// which it was put in where these are equal. `What` has only to be movable.
template <typename What> class EventQueue
{
  public:
    struct Event {
        Time due;
        std::uint64_t order;
        What what;
    };

    void push(Time due, What what)
    {
        heap_.push_back({due, pushed_++, std::move(what)});
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    /// Return when the first event is due, if there is one.
    std::optional<Time> next() const
    {
        return heap_.empty() ? std::nullopt : std::optional(heap_.front().due);
    }
    /// Take the first event out; there must be one.
    Event pop()
    {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        Event event = std::move(heap_.back());
        heap_.pop_back();
        return event;
    }
    std::size_t size() const
    {
        return heap_.size();
    }

  private:
    static bool later(const Event &one, const Event &other)
    {
        return one.due != other.due ? one.due > other.due : one.order > other.order;
    }

    std::vector<Event> heap_;
    std::uint64_t pushed_ = 0;
};

} // namespace rankwise
