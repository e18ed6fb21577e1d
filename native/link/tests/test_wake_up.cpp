// The margin before an urgent event is learnt from how late sleeps end.
#include "base/tests/check.h"
#include "link/wake_up.h"
#include "world.h"
#include <random>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

/// The mean bound after sleeps that end up to `latest` late, all times alike.
double learnt(double late_share, Time limit, Time latest)
{
    Oversleep oversleep(late_share, limit);
    std::mt19937_64 random(1);
    std::uniform_int_distribution<Time> late(0, latest);
    double sum = 0;
    for (int i = 0; i < 20'000; i++) {
        oversleep.learn(late(random));
        if (i >= 10'000)
            sum += static_cast<double>(oversleep.bound());
    }
    return sum / 10'000;
}

void learning()
{
    CHECK_NEAR(learnt(0.05, 100'000, 40'000), 38'000, 1500); // 19 of 20 are below
    CHECK_NEAR(learnt(0.5, 100'000, 40'000), 20'000, 1500);
    CHECK_NEAR(learnt(0.05, 100'000, 4'000), 3'800, 500);
    CHECK(learnt(0.05, 0, 40'000) == 0);
    Oversleep oversleep(0.05, 50'000);
    const Time before = oversleep.bound();
    oversleep.learn(millisecond); // what no bound could cure does not count
    CHECK(oversleep.bound() == before);
}

void plans()
{
    WakeUp wake_up(100'000);
    for (int i = 0; i < 1000; i++)
        wake_up.woke(second, second + (i % 10) * microsecond);
    const Time exact = wake_up.margin(Urgency::exact), prompt = wake_up.margin(Urgency::prompt);
    CHECK(exact > prompt && prompt > wake_up.least_late());
    World world(star(2, unlimited, unlimited));
    Link &link = *world.network_switch.links()[0];
    LinkEvents events;
    CHECK(!wake_up.plan(events));
    events.push(second, link, Urgency::patient);
    const Time alone = *wake_up.plan(events);
    CHECK(alone > second && alone < second + 200 * microsecond); // for company, but not for long
    events.push(second + 1, link, Urgency::prompt);
    CHECK(wake_up.plan(events) == second + 1 - prompt);
    events.push(second + 2, link, Urgency::exact);
    CHECK(wake_up.plan(events) == second + 2 - exact);
    for (int i = 0; i < 3; i++)
        events.pop();
    CHECK(!wake_up.plan(events));
}

} // namespace

int main()
{
    learning();
    plans();
    return conclude();
}
