// What happens next, for millions of small events.
#pragma once
#include "event_bags.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankwise::sim
{

/// Does what base/event_queue.h does, for events that are never earlier than the last one taken
/// out. Most delays of a simulation are the same few: events with the same delay come in the order
/// of their times and wait in one of a few lanes, first in, first out. The rest is in a radix heap
/// (Ahuja et al., JACM 37(2), 1990), which goes through memory in order where a binary heap jumps.
/// Of events due at the same time, the same ones come first in every run.
class EventLanes
{
  public:
    EventLanes()
    {
        heads_.fill(kNever);
        minima_.fill(kNever);
    }

    void push(Time now, Time due, std::uint32_t kind, std::uint32_t what)
    {
        const auto delay = static_cast<std::uint64_t>(due - now);
        std::size_t number = (delay * 0x9e3779b97f4a7c15ULL) >> 60;
        for (int attempts = 0; attempts < 2; attempts++, number = (number + 7) % kLanes) {
            Lane &lane = lanes_[number];
            if (lane.count > 0 && lane.last > due)
                continue;
            if (lane.count == 0) {
                heads_[number] = due;
                if (due == taken_)
                    current_ = std::min(current_, number);
            }
            lane.append({due, what, kind});
            return;
        }
        keep({due, what, kind});
    }

    /// Return when the next event is due; kNever: there is none.
    Time next()
    {
        if (heads_[current_] == taken_) // nothing is earlier than what was taken out last
            return taken_;
        Time first = heads_[0];
        current_ = 0;
        for (std::size_t number = 1; number < kLanes; number++) {
            current_ = heads_[number] < first ? number : current_;
            first = std::min(first, heads_[number]);
        }
        return bits_ == 0 ? first : std::min(first, minima_[lowest()]);
    }

    /// Return the event that comes so many after the one that `pop` took out last, if it is known;
    /// else nullptr.
    const Event *ahead(std::size_t count) const
    {
        const Lane &lane = lanes_[current_];
        return count < lane.count ? &lane.at(lane.first + count) : nullptr;
    }

    /// Take out an event that is due at `next()`, which was asked for last.
    Event pop(Time due)
    {
        taken_ = due;
        if (heads_[current_] != due)
            return take(due);
        Lane &lane = lanes_[current_];
        const Event event = lane.take();
        heads_[current_] = lane.count == 0 ? kNever : lane.front().due;
        return event;
    }

  private:
    static constexpr std::size_t kLanes = 16;

    struct Lane {
        HugeVector<Event> events = HugeVector<Event>(64); // a ring; its size is a power of two
        Event *data = events.data();
        std::size_t mask = events.size() - 1;
        std::size_t first = 0, count = 0; // the first one's place is that modulo the ring's size
        Time last = 0;

        const Event &at(std::size_t number) const
        {
            return data[number & mask];
        }
        const Event &front() const
        {
            return at(first);
        }
        void append(const Event &event)
        {
            if (count > mask) [[unlikely]]
                grow();
            data[(first + count++) & mask] = event;
            last = event.due;
        }
        Event take()
        {
            count--;
            return at(first++);
        }
        void grow()
        {
            HugeVector<Event> larger(2 * events.size());
            for (std::size_t i = 0; i < count; i++)
                larger[i] = at(first + i);
            events = std::move(larger);
            data = events.data();
            mask = events.size() - 1;
            first = 0;
        }
    };

    std::size_t lowest() const
    {
        return static_cast<std::size_t>(std::countr_zero(bits_));
    }
    /// Events are kept by the highest bit in which their time differs from the last one taken out.
    void keep(const Event &event)
    {
        const auto differs = static_cast<std::uint64_t>(event.due ^ last_);
        const auto number = static_cast<std::size_t>(std::bit_width(differs));
        bags_.put(buckets_[number], event);
        minima_[number] = std::min(minima_[number], event.due);
        bits_ |= std::uint64_t{1} << number;
    }
    Event take(Time due)
    {
        const std::size_t number = lowest();
        if (number > 0) {
            last_ = due;
            bits_ &= ~(std::uint64_t{1} << number);
            minima_[number] = kNever;
            bags_.empty(buckets_[number], [this](const Event &event) { keep(event); });
        }
        const Event event = bags_.take(buckets_[0]);
        if (buckets_[0].count == 0) {
            bits_ &= ~std::uint64_t{1};
            minima_[0] = kNever;
        }
        return event;
    }

    std::array<Lane, kLanes> lanes_;
    std::array<Time, kLanes> heads_{};
    std::size_t current_ = 0; // the first of the lanes that are due first
    Time taken_ = -1;         // when what was taken out last was due
    EventBags bags_;
    std::array<EventBags::Bag, 64> buckets_;
    std::array<Time, 64> minima_{};
    std::uint64_t bits_ = 0;
    Time last_ = 0;
};

} // namespace rankwise::sim
