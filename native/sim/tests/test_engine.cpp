// One message, and a few, take the time that LogGP's formulas say; ranks do things one after
// another.
#include "world.h"

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

constexpr sim::Time us = 1'000'000;
constexpr sim::Time L = 20 * us, o_s = 3 * us, o_r = 2 * us, g = 5 * us;
constexpr double G = 8000; // picoseconds a byte: 125 MB/s

Platform logp(Sharing sharing = Sharing::max_min)
{
    Platform p = ideal(8, model(sharing));
    CostRange &costs = p.classes[0].ranges[0];
    costs.latency = L;
    costs.send_overhead = o_s;
    costs.receive_overhead = o_r;
    costs.gap = g;
    p.classes[0].eager_below = 65536;
    p.packet_bytes = 1500;
    return p;
}

constexpr sim::Time wire(std::int64_t bytes)
{
    return static_cast<sim::Time>(G * static_cast<double>(bytes));
}

Operation send(std::uint32_t to, std::int64_t bytes, std::int32_t tag = 0)
{
    return Operation::message(Kind::send, to, tag, bytes);
}
Operation receive(std::uint32_t from, std::int32_t tag = 0)
{
    return Operation::message(Kind::receive, from, tag, 0);
}
Operation isend(std::uint32_t to, std::int64_t bytes, std::uint32_t request, std::int32_t tag = 0)
{
    return Operation::message(Kind::isend, to, tag, bytes, request);
}
Operation ireceive(std::uint32_t from, std::uint32_t request, std::int32_t tag = 0)
{
    return Operation::message(Kind::ireceive, from, tag, 0, request);
}

Program program_of(const std::vector<std::vector<Operation>> &sequences)
{
    Program program(sequences.size());
    for (std::uint32_t rank = 0; rank < sequences.size(); rank++)
        for (const Operation &operation : sequences[rank])
            program.add(rank, operation);
    return program;
}

std::vector<sim::Time> finish(const Platform &platform,
                              const std::vector<std::vector<Operation>> &sequences)
{
    const Outcome outcome = simulate(platform, program_of(sequences));
    CHECK(outcome.deadlock.empty());
    return outcome.finish;
}

void one_message()
{
    for (const Sharing sharing :
         {Sharing::none, Sharing::max_min, Sharing::alpha_fair, Sharing::flow_cuts})
        for (const std::int64_t bytes : {0, 1000, 1500, 1501, 60'000}) {
            const auto times = finish(logp(sharing), {{send(1, bytes)}, {receive(0)}});
            CHECK(times[0] == o_s); // eager: nobody waits
            CHECK_NEAR(times[1], o_s + wire(bytes) + L + o_r, 2);
        }
    // A request there, an answer back, then the data; the sender waits until they have left.
    const std::int64_t large = 1'000'000;
    auto times = finish(logp(), {{send(1, large)}, {receive(0)}});
    CHECK_NEAR(times[0], o_s + 2 * L + wire(large), 2);
    CHECK_NEAR(times[1], o_s + 2 * L + wire(large) + L + o_r, 2);
    // A late receiver answers at once.
    const sim::Time late = 500 * us;
    times = finish(logp(), {{send(1, large)}, {Operation::compute(late), receive(0)}});
    CHECK_NEAR(times[0], late + L + wire(large), 2);
    // An eager message is there before its receive.
    times = finish(logp(), {{send(1, 10)}, {Operation::compute(late), receive(0)}});
    CHECK(times[1] == late + o_r);
}

void ranges_of_sizes()
{
    Platform p = logp();
    CostRange small = p.classes[0].ranges[0];
    small.up_to = 100;
    small.latency = 7 * us;
    small.send_overhead_byte = 1000;
    p.classes[0].ranges.insert(p.classes[0].ranges.begin(), small);
    auto times = finish(p, {{send(1, 100)}, {receive(0)}});
    CHECK(times[0] == o_s + 100'000);
    CHECK(times[1] == o_s + 100'000 + wire(100) + 7 * us + o_r);
    times = finish(p, {{send(1, 101)}, {receive(0)}});
    CHECK(times[1] == o_s + wire(101) + L + o_r);
}

/// The NIC serves small messages in order, the gap after each: LogGP.
void in_order()
{
    const std::int64_t bytes = 1000;
    for (const Sharing sharing : {Sharing::none, Sharing::max_min}) {
        const auto times = finish(logp(sharing), {{send(1, bytes), send(2, bytes), send(3, bytes)},
                                                  {receive(0)},
                                                  {receive(0)},
                                                  {receive(0)}});
        for (sim::Time i = 0; i < 3; i++)
            CHECK_NEAR(times[static_cast<std::size_t>(i) + 1],
                       o_s + i * (wire(bytes) + g) + wire(bytes) + L + o_r, 2);
    }
    // Two senders and one receiver: with contention one waits for the other; overheads follow one
    // another.
    auto two = [&](Sharing sharing) {
        return finish(logp(sharing),
                      {{send(2, bytes)}, {send(2, bytes)}, {receive(0), receive(1)}})[2];
    };
    CHECK_NEAR(two(Sharing::none), o_s + wire(bytes) + L + 2 * o_r, 2);
    CHECK_NEAR(two(Sharing::max_min), o_s + 2 * wire(bytes) + L + o_r, 2);
}

void requests()
{
    const sim::Time busy = 100 * us;
    // Waits for whichever comes first, then for the other.
    Program program(3);
    program.add(0, ireceive(1, 0));
    program.add(0, ireceive(2, 1));
    program.any_lists = {0, 1};
    program.add(0, Operation::wait_any(0, 2));
    program.add(0, send(2, 1, 9)); // rank 2 sends only when it has this
    program.add(0, Operation::wait_any(0, 2));
    program.add(0, Operation::wait_any(0, 2)); // all are idle: goes on
    program.add(1, send(0, 1));
    program.add(2, receive(0, 9));
    program.add(2, Operation::compute(busy));
    program.add(2, send(0, 1));
    const Outcome outcome = simulate(logp(), program);
    CHECK(outcome.deadlock.empty());
    const sim::Time hop = o_s + wire(1) + L + o_r;
    CHECK_NEAR(outcome.finish[0], 3 * hop + busy, 3);

    // What a wait for all has ended is nothing to wait for.
    Program again(3);
    again.any_lists = {0, 1};
    again.add(0, ireceive(1, 0));
    again.add(0, Operation::wait_all());
    again.add(0, ireceive(2, 1));
    again.add(0, Operation::wait_any(0, 2));
    again.add(1, send(0, 1));
    again.add(2, Operation::compute(busy));
    again.add(2, send(0, 1));
    CHECK_NEAR(simulate(logp(), again).finish[0], busy + hop, 3);

    // The overhead of what comes in while it waits for something else is over by then.
    auto times =
        finish(logp(), {{ireceive(1, 0), ireceive(2, 1), Operation::wait(1), Operation::wait(0)},
                        {send(0, 1)},
                        {Operation::compute(busy), send(0, 1)}});
    CHECK_NEAR(times[0], busy + hop, 3);
    // Sends at once and waits for all: rendezvous in both directions does not deadlock.
    const std::int64_t large = 1'000'000;
    times = finish(logp(), {{ireceive(1, 0), isend(1, large, 1), Operation::wait_all()},
                            {ireceive(0, 0), isend(0, large, 1), Operation::wait_all()}});
    CHECK_NEAR(times[0], o_s + 2 * L + wire(large) + L + o_r, 3);
    CHECK(times[0] == times[1]);
}

/// A graph has one processor, begins what can begin, and goes on when everything has ended.
void graphs()
{
    Program program(2);
    GraphBuilder graph;
    const std::uint32_t from_1 = graph.add(receive(1));
    const std::uint32_t first = graph.add(Operation::compute(50 * us));
    const std::uint32_t second = graph.add(Operation::compute(70 * us));
    const std::uint32_t reply = graph.add(send(1, 1, 1));
    graph.depend(second, first);
    graph.depend(reply, from_1);
    CHECK(graph.has_order());
    graph.finish(program, 0);
    program.add(0, Operation::compute(us));
    program.add(1, send(0, 1));
    program.add(1, receive(0, 1));
    const Outcome outcome = simulate(logp(), program);
    // The message comes within the first computation. What it sets going was ready before what the
    // computation does.
    const sim::Time ready = 50 * us + o_r;
    CHECK_NEAR(outcome.finish[1], ready + o_s + wire(1) + L + o_r, 3);
    CHECK_NEAR(outcome.finish[0], ready + o_s + 70 * us + us, 3);

    // "At start": the second begins when the first has begun, and waits for the processor.
    Program started(2);
    const std::uint32_t wait = graph.add(receive(1));
    const std::uint32_t after = graph.add(Operation::compute(10 * us));
    graph.depend(after, wait, true);
    graph.finish(started, 0);
    started.add(1, Operation::compute(300 * us));
    started.add(1, send(0, 1));
    CHECK_NEAR(simulate(logp(), started).finish[0], 300 * us + o_s + wire(1) + L + o_r, 3);

    const std::uint32_t one = graph.add(Operation::compute(1)),
                        other = graph.add(Operation::compute(1));
    graph.depend(one, other);
    graph.depend(other, one);
    CHECK(!graph.has_order());
}

void bounds()
{
    Program program(1);
    for (int i = 0; i < 10; i++)
        program.add(0, Operation::compute(sim::kEndOfTime / 4));
    CHECK(contains(error_of([&] { simulate(logp(), program); }), "exceeds"));
    Platform slow = logp();
    slow.nodes[0].out = 1e-9;
    CHECK(contains(error_of([&] {
                       simulate(slow, program_of({{send(1, 60'000)}, {receive(0)}}));
                   }),
                   "exceeds"));
}

/// A node's ranks share its NIC, but not what they send one another.
void same_node()
{
    Platform p = logp();
    PairClass memory = p.classes[0];
    memory.ranges[0].latency = us;
    memory.ranges[0].gap_byte = 100;
    p.classes.push_back(memory);
    p.same_node = 1;
    const Program program = program_of({{send(1, 10'000)}, {receive(0)}});
    const std::vector<Job> jobs = {{"job", &program, {4, 4}}};
    CHECK_NEAR(Engine(p, jobs).run().finish[1], o_s + 1'000'000 + us + o_r, 2);
}

} // namespace

int main()
{
    one_message();
    ranges_of_sizes();
    in_order();
    requests();
    graphs();
    bounds();
    same_node();
    return rankwise::test::conclude();
}
