// Whose frame goes where, and what the options change.
#include "base/tests/check.h"
#include "world.h"
#include <set>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

const std::string gigabit = "1e9 1000 1e6 0 normal 0 1";

void broadcast()
{
    World world(star(5, gigabit, gigabit));
    Bytes bytes(ethernet_at + 60);
    std::fill_n(bytes.begin() + ethernet_at, 6, 0xff);
    world.network_switch.accept(2, std::move(*Frame::parse(bytes)), 0);
    world.run();
    std::set<NodeIndex> reached;
    for (const World::Arrival &arrival : world.arrivals)
        reached.insert(arrival.destination);
    CHECK(reached == std::set<NodeIndex>{0, 1, 3, 4} && world.arrivals.size() == 4);
    CHECK(world.counters("2.out").packets == 1); // copied behind it
    CHECK(world.arrivals[0].time == 2 * (84 * 8 + 1000));
}

/// Over what two sites share it goes once, however many nodes there are behind.
void broadcast_over_a_wan()
{
    std::string text = "link there " + gigabit + "\nlink back " + gigabit + "\nlink shared " +
                       gigabit + "\nlink beyond " + gigabit + "\n";
    for (int i = 0; i < 7; i++) {
        const std::string n = std::to_string(i);
        text += "link " + n + ".out " + gigabit + "\nlink " + n + ".in " + gigabit + "\nnode n" +
                n +
                (i < 2   ? " west"
                 : i < 4 ? " east"
                         : " south") +
                " 10.9.0." + std::to_string(i + 1) + "/24 " + n + ".out " + n + ".in\n";
    }
    for (const char *site : {"west", "east", "south"})
        text += std::string("route ") + site + " " + site + "\n";
    text += "route west east shared there\nroute west south shared beyond\nroute east west back\n"
            "route south west back\nroute east south there\nroute south east there\n";
    World world(text);
    Bytes bytes(ethernet_at + 60);
    std::fill_n(bytes.begin() + ethernet_at, 6, 0xff);
    world.network_switch.accept(0, std::move(*Frame::parse(bytes)), 0);
    world.run();
    std::multiset<NodeIndex> reached;
    for (const World::Arrival &arrival : world.arrivals) {
        reached.insert(arrival.destination);
        CHECK(arrival.time == (arrival.destination == 1 ? 2 : 4) * (84 * 8 + 1000));
    }
    CHECK(reached == std::multiset<NodeIndex>{1, 2, 3, 4, 5, 6});
    for (const char *link : {"shared", "there", "beyond"})
        CHECK(world.counters(link).packets == 1);
    CHECK(world.network_switch.counters().delivered_packets == 6);
}

void unknown()
{
    World world(star(2, gigabit, gigabit));
    world.network_switch.accept(0, plain_frame(0, 2, 100), 0);      // no such node
    world.network_switch.accept(0, plain_frame(0, 0, 100), 0);      // to itself
    world.network_switch.accept(0, plain_frame(0, 70'000, 100), 0); // beyond two bytes
    Bytes bytes(ethernet_at + 60);
    bytes[ethernet_at] = 0x02; // locally administered, but not ours
    bytes[ethernet_at + 5] = 2;
    world.network_switch.accept(0, std::move(*Frame::parse(bytes)), 0);
    world.run();
    CHECK(world.arrivals.empty());
    CHECK(world.network_switch.counters().unknown_frames == 4);
    CHECK(world.counters("0.out").packets == 0);
}

/// What enters is lost, what is under way arrives.
void partition()
{
    World world(star(2, gigabit, gigabit));
    Link *link = world.network_switch.find_link("1.in");
    CHECK(world.network_switch.find_link("nowhere") == nullptr);
    world.network_switch.accept(0, plain_frame(0, 1, 100), 0);
    world.run(2000); // beyond the out link, in the in link's delay
    link->set_up(false);
    world.network_switch.accept(0, tcp_frame({.payload = 3 * full_payload}), 5000);
    world.run(second);
    CHECK(world.arrivals.size() == 1);
    CHECK(link->counters().lost_packets == 3);
    link->set_up(true);
    world.network_switch.accept(0, plain_frame(0, 1, 100), second);
    world.run();
    CHECK(world.arrivals.size() == 2);
    CHECK(world.network_switch.counters().delivered_packets == 2);
    world.network_switch.reset_counters();
    CHECK(link->counters().packets == 0 && link->counters().lost_packets == 0);
    CHECK(world.network_switch.counters().delivered_packets == 0);
}

/// What waits for room gets it some time, however small the queue is.
void a_full_queue()
{
    World world(star(2, "1e9 0 3000 0 normal 0 1", unlimited));
    const Link &link = world.network_switch.out_link(0);
    CHECK(!link.full(0, 3001) && !link.full(0, 70'000));
    world.network_switch.accept(0, plain_frame(0, 1, 1000), 0);
    CHECK(!link.full(0, 2000) && link.full(0, 2001) && link.full(0, 70'000));
    world.run();
    CHECK(!link.full(1000 * 8, 70'000));
}

/// An acknowledgement behind 60 KB of data: at once, or when all that is sent.
void acknowledgements(bool first)
{
    World world(star(2, "1e8 0 1e6 0 normal 0 1", unlimited,
                     std::string("option acknowledgements_first ") + (first ? "1" : "0")));
    world.network_switch.accept(0, tcp_frame({.payload = 40 * full_payload}), 0);
    world.network_switch.accept(0, tcp_frame({.payload = 0}), 10 * microsecond);
    world.run();
    const Time data = 40 * full_wire * 80, acknowledgement = 90 * 80;
    CHECK(world.arrivals.size() == 2);
    CHECK(world.arrivals[first ? 0 : 1].wire_bytes == 90);
    CHECK(world.arrivals[0].time == (first ? 10 * microsecond + acknowledgement : data));
    // The next packet waits for both.
    world.network_switch.accept(0, plain_frame(0, 1, 1000), data);
    world.run();
    CHECK(world.arrivals[2].time == data + acknowledgement + 80'000);
}

/// Receiving at full rate leaves the rest of the bus for sending; without receiving all is for
/// sending.
void bus()
{
    const std::string line = "1e8 0 1e9 0 normal 0 1";
    World world(star(3, line, line, "option bus 1.25"));
    const auto send = [&](NodeIndex from, NodeIndex to, int packets) {
        for (int i = 0; i < packets; i++)
            world.network_switch.accept(from, plain_frame(from, to, 1000), 0);
    };
    send(0, 1, 5000);
    send(1, 2, 5000);
    world.run();
    Time received = 0, sent = 0;
    for (const World::Arrival &arrival : world.arrivals)
        (arrival.destination == 1 ? received : sent) = arrival.time;
    const double alone = 5000 * 80'000.0;
    CHECK_NEAR(received, alone, 0.01 * alone);
    CHECK_NEAR(sent, 1.75 * alone, 0.02 * alone);
}

/// Handling events late changes no time: all is as if handled when due.
void lateness_does_not_add_up()
{
    World exact(star(2, gigabit, gigabit)), late(star(2, gigabit, gigabit));
    for (int i = 0; i < 100; i++) {
        exact.network_switch.accept(0, plain_frame(0, 1, 1000), i * 3000);
        late.network_switch.accept(0, plain_frame(0, 1, 1000), i * 3000);
        exact.run(i * 3000 + 1500);
    }
    exact.run();
    late.run(10 * second);
    CHECK(exact.arrivals.size() == 100 && late.arrivals.size() == 100);
    for (std::size_t i = 0; i < 100; i++)
        CHECK(exact.arrivals[i].time == late.arrivals[i].time);
}

/// How exactly in time the event has to be that a packet is at the time `until`.
void urgency(const std::string &out, const std::string &in, Time until, Urgency expected)
{
    World world(star(2, out, in));
    const LinkEvents &events = world.network_switch.events();
    CHECK(!events.next() && !events.next(Urgency::exact));
    world.network_switch.accept(0, plain_frame(0, 1, 1000), 0);
    world.run(until);
    CHECK(events.next().has_value());
    CHECK(events.next(Urgency::prompt).has_value() == (expected != Urgency::patient));
    CHECK(events.next(Urgency::exact).has_value() == (expected == Urgency::exact));
    world.run();
    CHECK(!events.next() && !events.next(Urgency::prompt) && !events.next(Urgency::exact));
}

void urgencies()
{
    const std::string near = "0 5000 0 0 normal 0 1", far = "0 5000000 0 0 normal 0 1";
    const std::string nic = "1e9 0 1e6 0 normal 0 1", middle = "0 300000 0 0 normal 0 1";
    urgency(near, near, 0, Urgency::exact);
    urgency(nic, near, -1, Urgency::exact);      // its NIC is to be served, and that shows
    urgency(nic, far, -1, Urgency::patient);     // a long way still
    urgency(near, middle, 0, Urgency::patient);  // long enough
    urgency(near, middle, 5000, Urgency::exact); // the delivery
    urgency(near, far, 5000, Urgency::prompt);   // the delivery, after a long path
    urgency(far, near, 0, Urgency::prompt);      // shortly before it
    urgency("0 5000000 0 1000000 normal 0 1", near, 0, Urgency::exact); // jitter may shorten it
}

} // namespace

int main()
{
    broadcast();
    broadcast_over_a_wan();
    unknown();
    partition();
    a_full_queue();
    acknowledgements(true);
    acknowledgements(false);
    bus();
    lateness_does_not_add_up();
    urgencies();
    return conclude();
}
