// The model of queues: flows alone, waits behind full windows, slow start, and the rates that long
// flows come to, against what follows by counting chunks.
#include "world.h"

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

constexpr double kChunk = 1e-3; // seconds of a NIC, of which a window has 8

ModelSettings queues(double kappa = 2)
{
    ModelSettings settings = model(Sharing::queues, 1, kappa);
    settings.window = 8 * kChunk * kRate;
    return settings;
}

struct Late {
    std::uint32_t from, to;
    double chunks;
    double start; // seconds
};

struct Found {
    std::vector<double> takes; // seconds, of each flow
    Outcome outcome;
};

Found run(const Platform &platform, const std::vector<Late> &flows)
{
    std::string text;
    for (const Late &flow : flows)
        text += std::to_string(flow.from) + " " + std::to_string(flow.to) + " " +
                std::to_string(std::llround(flow.chunks * kChunk * kRate)) + " " +
                std::to_string(flow.start) + "\n";
    const ReadProgram read = read_pattern(text, "pattern", {});
    Record record(read.program.ranks());
    Found found{std::vector<double>(flows.size(), -1), simulate(platform, read.program, &record)};
    for (const MessageRecord &message : record.messages) {
        const auto number = static_cast<std::size_t>(message.tag);
        found.takes[number] = seconds(message.arrival) - flows[number].start;
    }
    return found;
}

/// Bytes times G, whatever it passes, and whatever its chunks are.
void alone()
{
    Platform platform = ideal(4, queues());
    CHECK_NEAR(run(platform, {{0, 1, 1000, 0}}).takes[0], 1, 1e-9);
    CHECK_NEAR(run(platform, {{0, 1, 0.3, 0}}).takes[0], 0.3 * kChunk, 1e-9);
    platform.links = {{"fast", 4 * kRate, 0}};
    platform.routes[0].links = {0};
    CHECK_NEAR(run(platform, {{0, 1, 1000, 0}}).takes[0], 1, 1e-9);
    platform.links[0].rate = kRate / 3;
    CHECK_NEAR(run(platform, {{0, 1, 1000, 0}}).takes[0], 3, 1e-9);
    platform.links.clear();
    platform.routes[0].links.clear();
    platform.classes[0].ranges[0].gap_byte *= 2;
    CHECK_NEAR(run(platform, {{0, 1, 1000, 0}}).takes[0], 2, 1e-9);
    // Slow flows leave their NIC to others.
    CHECK_NEAR(run(platform, {{0, 1, 1000, 0}, {0, 2, 1000, 0}}).takes[1], 2, 0.01);
}

/// A flow alone keeps its window in its own NIC. A message comes half a chunk after one of the 8
/// has begun to be served: 7.5 are before it.
void waits()
{
    Platform platform = ideal(4, queues());
    const auto takes = [&](Late late) {
        late.start = 0.5005;
        return run(platform, {{0, 1, 1000, 0}, late}).takes[1] / kChunk;
    };
    CHECK_NEAR(takes({0, 2, 1, 0}), 7.5 + 1, 1e-6);
    CHECK_NEAR(takes({2, 0, 1, 0}), 1, 1e-6);
    platform.classes[0].eager_below = 0;
    // Its request has waited until a chunk is there; 7 are before its data, and 8 if that one has
    // made room already.
    CHECK_NEAR(takes({0, 2, 1, 0}), 7.5 + 7.5 + 1, 0.5 + 1e-6);
    CHECK_NEAR(takes({2, 0, 1, 0}), 7.5 + 1, 1e-6); // the answer to its request waits
    CHECK_NEAR(takes({2, 3, 1, 0}), 1, 1e-6);
}

/// Two chunks behind 7.5; 8 more have come when both have been served, and four go behind these,
/// then eight, as each one that arrives makes room for itself and another.
void slow_start()
{
    const Found found = run(ideal(4, queues()), {{0, 1, 1000, 0}, {0, 2, 2 + 4 + 8, 0.5005}});
    CHECK_NEAR(found.takes[1] / kChunk, 7.5 + 2 + 8 + 4 + 8 + 8, 1e-6);
    CHECK_NEAR(found.takes[0] / kChunk, 1000 + 14, 1e-6);
    // All that both lost, they lost at the NIC of 0.
    const double late = 7.5 + 8 + 8, first = 14;
    CHECK_NEAR(found.outcome.lost_by_pair.at(2) / kPicosecondsPerSecond / kChunk, late, 1e-6);
    CHECK_NEAR(found.outcome.lost_by_pair.at(1) / kPicosecondsPerSecond / kChunk, first, 1e-6);
    CHECK_NEAR(found.outcome.lost_by_resource.at(0) / kPicosecondsPerSecond / kChunk, late + first,
               1e-6);
}

/// Three flows fill the link from b to a, with a window each, and an acknowledgement of the flow
/// from a to b waits until these have passed: it has one window in the time of three.
void acknowledgements()
{
    Platform platform = ideal(8, queues());
    platform.sites = {"a", "b"};
    for (std::uint32_t i = 4; i < 8; i++)
        platform.nodes[i] = {1, i - 4, kRate, kRate};
    platform.links = {{"there", kRate / 2, 0}, {"back", kRate / 2, 0}};
    platform.routes.assign(4, {});
    platform.routes[1].links = {0};
    platform.routes[2].links = {1};
    std::vector<Late> flows{{0, 4, 500, 0}};
    CHECK_NEAR(run(platform, flows).takes[0], 1, 1e-9);
    flows.insert(flows.end(), {{5, 1, 1500, 0}, {6, 2, 1500, 0}, {7, 3, 1500, 0}});
    const Found found = run(platform, flows);
    CHECK_NEAR(found.takes[0], 3, 0.3);
    CHECK_NEAR(found.takes[1], 9, 0.3);
}

/// Windows are weights: of two flows that enter a node, one with twice the window gets 2/3.
void weights()
{
    Platform platform = ideal(4, queues());
    platform.sites = {"a", "b"};
    platform.nodes[2].site = 1;
    platform.nodes[2].number = 0;
    platform.nodes[3] = {1, 1, kRate, kRate};
    platform.classes.push_back(platform.classes[0]);
    platform.classes[1].name = "wan";
    platform.classes[1].weight = 2;
    platform.routes.assign(4, {});
    platform.routes[1].pair_class = platform.routes[2].pair_class = 1;
    // The heavier one ends when it has had 2/3 for 1.5 s; the other has half of its data left.
    const Found found = run(platform, {{2, 0, 1000, 0}, {1, 0, 1000, 0}});
    CHECK_NEAR(found.takes[0], 1.5, 0.03);
    CHECK_NEAR(found.takes[1], 2, 0.01);
}

/// What long flows come to: alpha = 1, and the bus.
void steady()
{
    const std::vector<Late> zigzag = {{0, 1, 4000, 0}, {2, 1, 4000, 0}, {2, 3, 4000, 0}};
    const Platform platform = ideal(4, queues());
    const std::vector<double> takes = run(platform, zigzag).takes;
    CHECK_NEAR(takes[0], 6, 0.12); // at 2/3
    CHECK_NEAR(takes[1], 8, 0.08); // at 1/3, then alone
    CHECK_NEAR(takes[2], 6, 0.12);
    const std::vector<double> through =
        run(ideal(4, queues(1.25)), {{0, 1, 4000, 0}, {1, 2, 4000, 0}}).takes;
    CHECK_NEAR(through[0], 4, 0.01);
    CHECK_NEAR(through[1], 7, 0.05); // at 1/4 for 4 s, then alone
    // Without a window it is that from the start.
    ModelSettings none = queues();
    none.window = 0;
    expect_times("no window", ideal(4, none), {{0, 1}, {2, 1}, {2, 3}}, {1.5, 2, 1.5});
}

/// Neither absurd windows nor absurd messages are a trap.
void extremes()
{
    Platform platform = ideal(4, queues());
    platform.packet_bytes = 1500;
    platform.model.window = 1;
    CHECK_NEAR(run(platform, {{0, 1, 1, 0}, {0, 2, 1, 0}}).takes[1], 2 * kChunk, 2e-5);
    CHECK_NEAR(run(platform, {{0, 1, 8e6, 0}}).takes[0], 8000, 1e-3);
    platform.model.window = 1e12;
    CHECK_NEAR(run(platform, {{0, 1, 1000, 0}, {0, 2, 1000, 0}}).takes[1], 2, 1e-6);
}

} // namespace

int main()
{
    alone();
    waits();
    slow_start();
    acknowledgements();
    weights();
    steady();
    extremes();
    return rankwise::test::conclude();
}
