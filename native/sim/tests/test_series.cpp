// Graphs of groups in a row take what they take as graphs, down to the order of events.
#include "world.h"
#include <random>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

constexpr sim::Time us = 1'000'000;

/// Where overheads are as long as the latency, messages come while others are sent.
Platform slow_hosts(Sharing sharing)
{
    Platform p = ideal(6, model(sharing));
    CostRange &costs = p.classes[0].ranges[0];
    costs.latency = 2 * us;
    costs.send_overhead = 3 * us;
    costs.receive_overhead = 2 * us;
    costs.gap = us;
    p.classes[0].eager_below = 65536;
    p.packet_bytes = 1500;
    return p;
}

Operation send(std::uint32_t to, std::int64_t bytes, std::int32_t tag = 0)
{
    return Operation::message(Kind::send, to, tag, bytes);
}
Operation receive(std::uint32_t from, std::int32_t tag = 0)
{
    return Operation::message(Kind::receive, from, tag, 0);
}

using Groups = std::vector<std::vector<Operation>>;

constexpr std::uint32_t kRanks = 6;

/// Messages between random groups, and computations; receives may come before their sends or
/// after, and some wait for each other for ever.
std::vector<Groups> random_groups(std::mt19937_64 &random)
{
    constexpr std::int64_t sizes[] = {1, 1500, 20'000, 100'000};
    const std::size_t count = 1 + random() % 6;
    std::vector<Groups> ranks(kRanks, Groups(count));
    for (std::size_t i = 0; i < 3 * count * kRanks; i++) {
        const auto from = static_cast<std::uint32_t>(random() % kRanks);
        const auto to = static_cast<std::uint32_t>((from + 1 + random() % (kRanks - 1)) % kRanks);
        const std::size_t group = random() % count;
        const auto tag = static_cast<std::int32_t>(random() % 4);
        const std::size_t later = random() % 3 > 0 ? group : group + random() % (count - group);
        ranks[from][group].push_back(send(to, sizes[random() % 4], tag));
        ranks[to][later].push_back(receive(from, tag));
        if (random() % 4 == 0)
            ranks[to][group].push_back(
                Operation::compute(static_cast<sim::Time>(random() % 10) * us));
    }
    return ranks;
}

Program program_of(const std::vector<Groups> &ranks, bool in_row)
{
    Program program(ranks.size());
    GraphBuilder graph;
    for (std::uint32_t rank = 0; rank < ranks.size(); rank++) {
        std::vector<std::uint32_t> before, here;
        for (const auto &group : ranks[rank]) {
            for (const Operation &operation : group) {
                here.push_back(graph.add(operation));
                for (const std::uint32_t one : before)
                    graph.depend(here.back(), one);
            }
            if (!here.empty())
                before = std::exchange(here, {});
        }
        if (in_row)
            graph.finish_alone(program, rank);
        else
            graph.finish(program, rank);
    }
    CHECK(program.graphs.empty() == in_row);
    return program;
}

void random_series()
{
    int ended = 0;
    for (std::uint64_t seed = 0; seed < 300; seed++) {
        std::mt19937_64 random(seed);
        const std::vector<Groups> ranks = random_groups(random);
        for (const Sharing sharing : {Sharing::none, Sharing::max_min}) {
            const Platform platform = slow_hosts(sharing);
            const Outcome graph = simulate(platform, program_of(ranks, false));
            const Outcome row = simulate(platform, program_of(ranks, true));
            CHECK(row.finish == graph.finish && row.events == graph.events);
            CHECK(row.deadlock == graph.deadlock);
            ended += row.deadlock.empty();
        }
    }
    CHECK(ended > 100);
}

/// Groups in a row take what they take as a graph; what is no such series stays one.
void series()
{
    const auto outcome_of = [](bool alone, bool all_wait) {
        Program program(4);
        GraphBuilder graph;
        const auto finish_one = [&](std::uint32_t rank) {
            if (alone)
                graph.finish_alone(program, rank);
            else
                graph.finish(program, rank);
        };
        graph.add(receive(1));
        for (std::uint32_t to = 1; to < 4; to++)
            graph.depend(graph.add(send(to, to == 2 ? 100'000 : 10, 1)), 0);
        const std::uint32_t work = graph.add(Operation::compute(5 * us));
        for (std::uint32_t sent = all_wait ? 1 : 2; sent < 4; sent++)
            graph.depend(work, sent);
        finish_one(0);
        graph.add(send(0, 1));
        graph.depend(graph.add(receive(0, 1)), 0);
        finish_one(1);
        for (const std::uint32_t rank : {2U, 3U}) {
            graph.add(receive(0, 1));
            finish_one(rank);
        }
        CHECK(program.graphs.size() == (alone ? (all_wait ? 0U : 1U) : 4U));
        return simulate(slow_hosts(Sharing::max_min), program);
    };
    for (const bool all_wait : {true, false}) {
        const Outcome row = outcome_of(true, all_wait), graph = outcome_of(false, all_wait);
        CHECK(row.finish == graph.finish && row.deadlock.empty());
    }
}

} // namespace

int main()
{
    series();
    random_series();
    return rankwise::test::conclude();
}
