// Events come out by their times, and in the order in which they went in where these are equal.
#include "base/event_queue.h"
#include "base/tests/check.h"
#include <memory>
#include <random>

using namespace rankwise;

namespace
{

void order()
{
    EventQueue<std::string> events;
    CHECK(!events.next() && events.size() == 0);
    events.push(5, "c");
    events.push(3, "a");
    events.push(5, "d");
    events.push(3, "b");
    std::string told;
    while (events.next()) {
        const Time due = *events.next();
        auto event = events.pop();
        CHECK(event.due == due);
        told += event.what;
    }
    CHECK(told == "abcd");
}

/// Against sorting, with pushes and pops in between, of things that can only be moved.
void many()
{
    std::mt19937_64 random(7);
    EventQueue<std::unique_ptr<int>> events;
    Time last = 0;
    int last_number = -1;
    for (int number = 0; number < 20'000; number++) {
        events.push(last + static_cast<Time>(random() % 50), std::make_unique<int>(number));
        if (random() % 2 == 0)
            continue;
        const auto event = events.pop();
        CHECK(event.due > last || (event.due == last && *event.what > last_number));
        last = event.due;
        last_number = *event.what;
    }
    while (events.next()) {
        const auto event = events.pop();
        CHECK(event.due > last || (event.due == last && *event.what > last_number));
        last = event.due;
        last_number = *event.what;
    }
    CHECK(events.size() == 0);
}

} // namespace

int main()
{
    order();
    many();
    return test::conclude();
}
