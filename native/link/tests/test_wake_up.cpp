// The margin before an urgent event is learnt from how late sleeps end.
#include "check.h"
#include "link/wake_up.h"
#include "world.h"
#include <random>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

Time learnt(Time limit, Time latest)
{
    WakeUp wake_up(limit);
    std::mt19937_64 random(1);
    std::uniform_int_distribution<Time> late(0, latest);
    double sum = 0;
    for (int i = 0; i < 20'000; i++) {
        wake_up.woke(0, late(random));
        if (i >= 10'000)
            sum += static_cast<double>(wake_up.margin());
    }
    return static_cast<Time>(sum / 10'000);
}

void learning()
{
    CHECK_NEAR(learnt(100'000, 40'000), 38'000, 1500); // 19 of 20 are below
    CHECK_NEAR(learnt(100'000, 4'000), 3'800, 500);
    CHECK(learnt(0, 40'000) == 0);
    // Sleeps that end later than any margin could cure do not count.
    WakeUp wake_up(50'000);
    const Time before = wake_up.margin();
    wake_up.woke(0, millisecond);
    CHECK(wake_up.margin() == before);
}

void plans()
{
    const WakeUp wake_up(100'000);
    World world(star(2, unlimited, unlimited));
    Link &link = *world.network_switch.links()[0];
    EventQueue events;
    CHECK(!wake_up.plan(events));
    events.push(second, link, Urgency::patient);
    const Time alone = *wake_up.plan(events);
    CHECK(alone > second && alone < second + 200 * microsecond); // for company, but not for long
    events.push(second + 10 * microsecond, link, Urgency::prompt);
    CHECK(wake_up.plan(events) == second + 10 * microsecond);
    events.push(second + 11 * microsecond, link, Urgency::exact);
    CHECK(wake_up.plan(events) == second + 11 * microsecond - wake_up.margin());
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
