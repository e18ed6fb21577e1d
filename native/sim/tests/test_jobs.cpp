// Jobs on one platform slow one another where they share it, and not otherwise; runs are
// repeatable; collective operations take what their algorithms' formulas say.
#include "collective.h"
#include "world.h"

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

const std::string pair = "0 1 125000000\n";

void together()
{
    const Program program = read_pattern(pair, "pair", {}).program;
    const Platform p = ideal(6, model(Sharing::max_min));
    // The second job sends where the first does, or beside it.
    for (const auto &[nodes, expected] : {std::pair{std::vector<std::uint32_t>{0, 2}, 2.0},
                                          {{3, 1}, 2.0},
                                          {{1, 0}, 1.0},
                                          {{4, 5}, 1.0}}) {
        const std::vector<Job> jobs = {{"one", &program, {0, 1}}, {"other", &program, nodes}};
        const Outcome outcome = Engine(p, jobs).run();
        CHECK(outcome.finish.size() == 4 && outcome.messages == 2);
        CHECK_NEAR(seconds(outcome.finish[1]), expected, 1e-8);
        CHECK_NEAR(seconds(outcome.finish[3]), expected, 1e-8);
        double lost = 0;
        for (const auto &[where, time] : outcome.lost_by_pair)
            lost += time;
        CHECK_NEAR(lost / kPicosecondsPerSecond, 2 * (expected - 1), 1e-6);
        lost = 0;
        for (const auto &[link, time] : outcome.lost_by_resource)
            lost += time;
        CHECK_NEAR(lost / kPicosecondsPerSecond, 2 * (expected - 1), 1e-6);
    }
}

/// Messages of one job are none of the other's, whatever their tags.
void apart()
{
    const Program waits =
        read_time_independent("0 recv 1 0 0\n1 compute 1\n", "waits", ideal(4), {});
    const Program sends =
        read_time_independent("0 compute 1\n1 send 0 0 8\n", "sends", ideal(4), {});
    const std::vector<Job> jobs = {{"waits", &waits, {0, 1}}, {"sends", &sends, {0, 1}}};
    const Outcome outcome = Engine(ideal(4), jobs).run();
    CHECK(contains(outcome.deadlock, "rank waits:0 waits for a message from rank waits:1"));
}

void noise()
{
    Platform p = ideal(4, model(Sharing::max_min));
    p.classes[0].ranges[0].latency = 1'000'000;
    const Program program = read_time_independent(
        "0 compute 1000000\n0 send 1 0 8\n1 recv 0 0 0\n1 compute 1000000\n", "trace", p, {});
    const std::vector<Job> jobs = {job(program)};
    const auto total = [&](std::uint64_t seed, double spread) {
        return Engine(p, jobs, Noise(seed, spread)).run().total;
    };
    CHECK(total(1, 0.1) == total(1, 0.1));
    CHECK(total(1, 0.1) != total(2, 0.1));
    CHECK(total(1, 0) == Engine(p, jobs).run().total);
    // The mean of the logarithm of one computation's factor is none, and its deviation is what was
    // asked for.
    double sum = 0, squares = 0;
    const int draws = 20'000;
    for (std::uint64_t n = 0; n < draws; n++) {
        const double value = std::log(Noise(7, 0.3).factor(3, n));
        sum += value;
        squares += value * value;
    }
    CHECK_NEAR(sum / draws, 0, 0.01);
    CHECK_NEAR(std::sqrt(squares / draws), 0.3, 0.01);
}

/// Overheads of a third of the latency, G, no packets: LogP's closed forms.
void collectives()
{
    Platform p = ideal(16, model(Sharing::max_min));
    CostRange &costs = p.classes[0].ranges[0];
    costs.latency = 30'000'000;
    costs.send_overhead = costs.receive_overhead = 10'000'000;
    p.packet_bytes = 1 << 20;
    p.reduce_seconds_per_byte = 1e-9;
    const auto total = [&](const std::string &text) {
        const Program program = read_collective(text, "request", p, {});
        return seconds(simulate(p, program).total);
    };
    // Each of log2(16) levels of a binomial tree: o_s + G m + L + o_r, in which the root's next
    // send has begun.
    const double hop = 50e-6 + 100 / kRate;
    CHECK_NEAR(
        total(R"({"operation": "bcast", "algorithm": "binomial", "ranks": 16, "count": 100})"),
        4 * hop, 1e-11);
    // A ring: 2 (n - 1) rounds of blocks of m/n; in half of them each block is reduced.
    const double block = 16'000. / 16;
    CHECK_NEAR(total(R"({"operation": "allreduce", "algorithm": "ring", "ranks": 16, "count": 4000,
                         "element_bytes": 4})"),
               30 * (50e-6 + block / kRate) + 15 * block * 1e-9, 1e-9);
    const auto error = [&](const std::string &text) {
        return error_of([&] { read_collective(text, "request", p, {}); });
    };
    CHECK(contains(error(R"({"operation": "bcast", "algorithm": "magic", "ranks": 4})"),
                   "request:1: there is no algorithm magic for bcast; there is: "));
    CHECK(contains(error(R"({"operation": "dance", "algorithm": "ring", "ranks": 4})"),
                   "there is no operation dance"));
    CHECK(contains(error("{\"operation\": \"bcast\",\n \"algorithm\": \"binomial\", \"ranks\": 0}"),
                   "request:2: 0 is not from 1"));
}

} // namespace

int main()
{
    together();
    apart();
    noise();
    collectives();
    return rankwise::test::conclude();
}
