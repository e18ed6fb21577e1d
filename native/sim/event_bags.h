// Events that wait unsorted, in bags that share their memory.
#pragma once
#include "huge_pages.h"
#include "picoseconds.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankwise::sim
{

struct Event {
    Time due;
    std::uint32_t what;
    std::uint32_t kind;
};

/// In blocks of one size: what moves from one bag to another needs no memory besides, where arrays
/// that double would hold it three times.
class EventBags
{
  public:
    struct Bag {
        std::vector<Event *> blocks; // all but the last are full
        std::size_t count = 0;
    };

    void put(Bag &bag, const Event &event)
    {
        const std::size_t place = bag.count++ % kBlock;
        if (place == 0)
            bag.blocks.push_back(take_block());
        bag.blocks.back()[place] = event;
    }
    /// Take out the one that was put in last.
    Event take(Bag &bag)
    {
        const std::size_t place = --bag.count % kBlock;
        const Event event = bag.blocks.back()[place];
        if (place == 0) {
            free_.push_back(bag.blocks.back());
            bag.blocks.pop_back();
        }
        return event;
    }
    /// Take out all, in the order in which they were put in; `visit` may put them into other bags.
    template <typename Visit> void empty(Bag &bag, Visit visit)
    {
        std::size_t left = std::exchange(bag.count, 0);
        for (Event *const block : std::exchange(bag.blocks, {})) {
            const std::size_t here = std::min(left, kBlock);
            std::for_each(block, block + here, visit);
            left -= here;
            free_.push_back(block);
        }
    }

  private:
    static constexpr std::size_t kBlock = 1 << 10;

    Event *take_block()
    {
        if (free_.empty()) {
            const std::size_t blocks = std::size_t{1} << std::min<std::size_t>(memory_.size(), 7);
            memory_.emplace_back(blocks * kBlock);
            for (std::size_t i = blocks; i-- > 0;)
                free_.push_back(memory_.back().begin() + i * kBlock);
        }
        Event *const block = free_.back();
        free_.pop_back();
        return block;
    }

    std::vector<HugeBlock<Event>> memory_;
    std::vector<Event *> free_;
};

} // namespace rankwise::sim
