// The host bus has one defined solution: it does not depend on what was before, obeys its rule
// where it converges, and takes a bounded number of rounds where it does not.
#include "world.h"
#include <algorithm>
#include <random>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// The rates of flows that begin in this order, others having come and gone before.
std::vector<double> rates_of(const ModelSettings &settings, const Pairs &pairs, std::uint64_t seed)
{
    const Platform platform = ideal(8, settings);
    Network network(platform);
    const auto model = make_model(settings, network);
    std::mt19937_64 random(seed);
    const auto begin = [&](std::uint32_t from, std::uint32_t to) {
        const std::uint32_t flow =
            network.begin(0, from, to, 1 << 20, platform.classes[0].ranges[0], 1);
        model->started(flow);
        return flow;
    };
    std::vector<std::uint32_t> kept;
    for (const auto &[from, to] : pairs) {
        std::vector<std::uint32_t> others;
        for (int i = 0; seed > 0 && i < 3; i++) {
            const auto there = static_cast<std::uint32_t>(random() % 8);
            others.push_back(begin(there, (there + 1) % 8));
        }
        model->settle();
        for (const std::uint32_t other : others) {
            network.leave(other);
            model->ended(other);
        }
        kept.push_back(begin(from, to));
    }
    model->settle();
    std::vector<double> rates;
    for (const std::uint32_t flow : kept)
        rates.push_back(network.flows[flow].rate);
    return rates;
}

void circles()
{
    const Pairs ring = {{0, 1}, {1, 2}, {2, 0}}, both = {{0, 1}, {1, 0}},
                knot = {{0, 1}, {1, 2}, {2, 0}, {1, 0}, {3, 1}, {2, 3}, {0, 3}};
    for (const Sharing sharing : {Sharing::alpha_fair, Sharing::max_min}) {
        ModelSettings settings = model(sharing, 1, 1.25);
        settings.tolerance = 1e-6;
        // Each receives and sends x: x = 1.25 - x.
        for (const double rate : rates_of(settings, ring, 0))
            CHECK_NEAR(rate, 0.625, 1e-4);
        for (const double rate : rates_of(settings, both, 0))
            CHECK_NEAR(rate, 0.625, 1e-4);
        for (const Pairs &pairs : {ring, both, knot}) {
            const std::vector<double> alone = rates_of(settings, pairs, 0);
            for (std::uint64_t seed = 1; seed <= 5; seed++) {
                const std::vector<double> after = rates_of(settings, pairs, seed);
                for (std::size_t i = 0; i < alone.size(); i++)
                    CHECK_NEAR(after[i], alone[i], 1e-4);
            }
        }
    }
}

/// All in both directions: a halo of 24 ranks; it ends.
void many()
{
    for (const Sharing sharing : {Sharing::alpha_fair, Sharing::max_min}) {
        ModelSettings settings = model(sharing, 1, 1.25);
        settings.tolerance = 1e-4;
        std::string text;
        std::mt19937_64 random(3);
        for (std::uint32_t rank = 0; rank < 24; rank++)
            for (const std::uint32_t step : {1U, 4U, 20U, 23U})
                text += std::to_string(rank) + " " + std::to_string((rank + step) % 24) +
                        " 65536 " + std::to_string(static_cast<double>(random() % 1000) * 1e-7) +
                        "\n";
        const ReadProgram read = read_pattern(text, "halo", {});
        const Outcome outcome = simulate(ideal(24, settings), read.program);
        // 4 messages in and 4 out take 8 / 1.25 of one alone where the bus is always busy.
        const double alone = 65536 / kRate;
        CHECK(seconds(outcome.total) > 8 / 1.25 * alone);
        CHECK(seconds(outcome.total) < 10 * alone);
    }
}

} // namespace

int main()
{
    circles();
    many();
    return rankwise::test::conclude();
}
