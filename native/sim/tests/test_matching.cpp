// Messages meet receives as MPI says: in order between two ranks with one tag, wildcards by
// arrival; and whoever waits for ever is named.
#include "world.h"
#include <random>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

constexpr sim::Time us = 1'000'000;

Platform platform()
{
    Platform p = ideal(8, model(Sharing::max_min));
    p.classes[0].ranges[0].latency = 10 * us;
    p.classes[0].eager_below = 65536;
    return p;
}

Program traced(const std::string &text)
{
    return read_time_independent(text, "trace", platform(), {});
}

/// The tags of a rank's messages in the order in which it was told of them.
std::vector<std::int32_t> received(const Program &program, std::uint32_t rank)
{
    Record record(program.ranks());
    const Outcome outcome = simulate(platform(), program, &record);
    CHECK(outcome.deadlock.empty() && outcome.unreceived == 0);
    std::vector<std::int32_t> tags;
    for (const Activity &activity : record.activities[rank])
        if (activity.doing == Doing::receive)
            tags.push_back(record.messages[activity.message].tag);
    return tags;
}

void order()
{
    // Of one tag the first sent meets the first receive, though the second is small and there long
    // before.
    const Program program = traced("0 isend 1 5 60000\n0 isend 1 5 1\n0 waitall\n"
                                   "1 recv 0 5 0\n1 compute 0\n1 recv 0 5 0\n");
    Record record(2);
    simulate(platform(), program, &record);
    const auto &activities = record.activities[1];
    CHECK(activities.size() == 3);
    CHECK(record.messages[activities[0].message].bytes == 60000);
    // Of different tags each finds its own.
    CHECK(received(traced("0 send 1 1 10\n0 send 1 2 10\n1 recv 0 2 0\n1 recv 0 1 0\n"), 1) ==
          std::vector<std::int32_t>({2, 1}));
}

void wildcards()
{
    // From any source: the first to come, whoever it is.
    CHECK(received(traced("0 recv -1 -1 0\n0 recv -1 -1 0\n1 compute 9000000\n1 send 0 1 8\n"
                          "2 compute 5000000\n2 send 0 2 8\n"),
                   0) == std::vector<std::int32_t>({2, 1}));
    // One that is named is left to its receive, which was posted first.
    CHECK(received(traced("0 irecv 1 -1 0\n0 irecv -1 -1 0\n0 waitall\n1 compute 9000000\n"
                          "1 send 0 1 8\n2 send 0 2 8\n"),
                   0) == std::vector<std::int32_t>({2, 1}));
    // Unexpected ones are taken in the order in which they came, also where they wait for their
    // receive.
    CHECK(received(traced("0 compute 50000000\n0 recv -1 7 0\n0 recv -1 7 0\n0 recv -1 -1 0\n"
                          "1 compute 9000000\n1 send 0 7 800000\n2 send 0 7 8\n3 send 0 3 8\n"),
                   0) == std::vector<std::int32_t>({7, 7, 3}));
    // A receive that any message fits does not take one that comes before it is posted by
    // another's.
    CHECK(received(traced("0 recv -1 2 0\n0 recv -1 -1 0\n1 send 0 1 8\n2 compute 9000000\n"
                          "2 send 0 2 8\n"),
                   0) == std::vector<std::int32_t>({2, 1}));
}

/// Wildcards that can only mean one message give the same times as its name.
void same_times()
{
    std::mt19937_64 random(5);
    for (int i = 0; i < 20; i++) {
        std::string named, wild;
        for (int m = 0; m < 30; m++) {
            const std::string from = std::to_string(1 + random() % 3), tag = std::to_string(m),
                              size = std::to_string(random() % 2 ? 100 : 100'000),
                              pause = std::to_string(random() % 100'000);
            named +=
                from + " compute " + pause + "\n" + from + " isend 0 " + tag + " " + size + "\n";
            wild +=
                from + " compute " + pause + "\n" + from + " isend 0 " + tag + " " + size + "\n";
            named += "0 irecv " + from + " " + tag + " 0\n";
            wild += "0 irecv -1 " + tag + " 0\n";
        }
        for (const char *end : {"0 waitall\n", "1 waitall\n", "2 waitall\n", "3 waitall\n"}) {
            named += end;
            wild += end;
        }
        CHECK(simulate(platform(), traced(named)).finish ==
              simulate(platform(), traced(wild)).finish);
    }
}

void deadlocks()
{
    const auto report = [](const std::string &text) {
        return simulate(platform(), traced(text)).deadlock;
    };
    std::string told = report("0 recv 1 4 0\n1 recv 2 5 0\n2 recv 0 6 0\n3 compute 1\n");
    CHECK(contains(told, "3 of 4 ranks"));
    CHECK(contains(told, "rank 1 waits for a message from rank 2, tag 5"));
    CHECK(contains(told, "a circle: 0 -> 1 -> 2 -> 0"));
    // Large sends wait for their receives.
    told = report("0 send 1 0 100000\n0 recv 1 0 0\n1 send 0 0 100000\n1 recv 0 0 0\n");
    CHECK(contains(told, "rank 0 waits for rank 1 to receive 100000 bytes, tag 0"));
    CHECK(report("0 send 1 0 100\n0 recv 1 0 0\n1 send 0 0 100\n1 recv 0 0 0\n").empty());
    told = report("0 recv -1 3 0\n1 send 0 4 100000\n");
    CHECK(contains(told, "rank 0 waits for a message from any rank, tag 3"));
    CHECK(contains(told, "rank 1 waits for rank 0"));
    // A message that nobody wants is none of a deadlock.
    CHECK(simulate(platform(), traced("0 send 1 0 100\n1 compute 1\n")).unreceived == 1);
}

} // namespace

int main()
{
    order();
    wildcards();
    same_times();
    deadlocks();
    return rankwise::test::conclude();
}
