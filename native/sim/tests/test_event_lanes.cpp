// Events come out by their times, whatever lanes and buckets they went through, and in the same
// order in every run.
#include "base/event_queue.h"
#include "event_lanes.h"
#include "world.h"
#include <algorithm>
#include <random>

using namespace rankwise;
using namespace rankwise::sim;

namespace
{

/// Against the heap of base/, with delays from none to years, and often the same few.
std::vector<std::uint32_t> run(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    EventLanes lanes;
    EventQueue<std::uint32_t> expected;
    std::vector<std::uint32_t> taken;
    sim::Time now = 0;
    for (std::uint32_t number = 0; number < 40'000; number++) {
        const auto delay = random() % 3 == 0
                               ? 1000 * static_cast<sim::Time>(random() % 5)
                               : static_cast<sim::Time>(random() >> (2 + random() % 61));
        const sim::Time due = std::min(now + delay, sim::kEndOfTime);
        lanes.push(now, due, 0, number);
        expected.push(due, number);
        while (random() % 5 < 2 && expected.next()) {
            CHECK(lanes.next() == *expected.next());
            now = std::max(now, lanes.next());
            taken.push_back(lanes.pop(now).what);
            expected.pop();
        }
        if (now == sim::kEndOfTime)
            break;
    }
    while (expected.next()) {
        CHECK(lanes.next() == expected.pop().due);
        taken.push_back(lanes.pop(lanes.next()).what);
    }
    CHECK(lanes.next() == kNever);
    return taken;
}

} // namespace

int main()
{
    for (std::uint64_t seed = 1; seed <= 4; seed++) {
        std::vector<std::uint32_t> once = run(seed);
        CHECK(once == run(seed));
        std::ranges::sort(once);
        CHECK(std::ranges::adjacent_find(once) == once.end()); // none twice
    }
    return rankwise::test::conclude();
}
