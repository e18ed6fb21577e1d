// Halves have the sizes that were asked for, planted groups are found, pins hold, swaps never make
// it worse, and a damaged file is refused.
#include "base/error.h"
#include "base/tests/check.h"
#include "bisection.h"
#include "search.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>

using namespace rankwise;
using namespace rankwise::map;

namespace
{

const Moment kNever = Moment::max();

Graph graph_of(Index vertices, const std::vector<std::array<Index, 3>> &edges)
{
    std::vector<std::vector<std::pair<Index, float>>> near(static_cast<std::size_t>(vertices));
    for (const auto &[one, other, weight] : edges) {
        near[one].push_back({other, static_cast<float>(weight)});
        near[other].push_back({one, static_cast<float>(weight)});
    }
    Graph graph;
    for (const auto &own : near) {
        for (const auto &[other, weight] : own) {
            graph.end.push_back(other);
            graph.weight.push_back(weight);
        }
        graph.begin.push_back(static_cast<Index>(graph.end.size()));
        graph.size.push_back(1);
        graph.locked.push_back(-1);
    }
    return graph;
}

Graph grid(Index side)
{
    std::vector<std::array<Index, 3>> edges;
    for (Index v = 0; v < side * side; v++) {
        if (v % side + 1 < side)
            edges.push_back({v, v + 1, 1});
        if (v + side < side * side)
            edges.push_back({v, v + side, 1});
    }
    return graph_of(side * side, edges);
}

/// Nodes of two slots, sites of two nodes, in blocks.
Problem problem(Graph graph)
{
    Problem made;
    made.graph = std::move(graph);
    made.levels = 2;
    made.step = {9, 90};
    for (Index slot = 0; slot < made.graph.vertices(); slot++)
        made.groups.push_back({slot / 2, slot / 4});
    made.now.resize(made.groups.size());
    std::iota(made.now.begin(), made.now.end(), 0);
    made.pinned.assign(made.groups.size(), 0);
    return made;
}

void halves()
{
    Random random(1);
    for (const Index target : {1, 37, 128, 255}) {
        const Halves found = bisect(grid(16), target, random);
        CHECK(std::count(found.begin(), found.end(), 0) == target);
    }
    CHECK_NEAR(cut_weight(grid(16), bisect(grid(16), 128, random)), 16, 0);
    Graph locked = grid(4);
    locked.locked[0] = 1;
    locked.locked[15] = 0;
    const Halves found = bisect(locked, 8, random);
    CHECK(found[0] == 1 && found[15] == 0);
    CHECK(std::count(found.begin(), found.end(), 0) == 8);
    const Halves apart = bisect(graph_of(10, {}), 3, random); // no edges at all
    CHECK(std::count(apart.begin(), apart.end(), 0) == 3);
}

void coarser()
{
    Random random(1);
    const Graph graph = grid(8);
    const Coarser small = coarsened(graph, 2, random);
    CHECK(small.graph.total() == 64 && small.graph.largest() == 2);
    Halves of_small(small.graph.size.size()), of_large(64);
    for (std::size_t v = 0; v < of_small.size(); v++)
        of_small[v] = v % 2 == 0 ? 1 : 0;
    for (std::size_t v = 0; v < 64; v++)
        of_large[v] = of_small[small.of[v]];
    CHECK_NEAR(cut_weight(graph, of_large), cut_weight(small.graph, of_small), 0);
}

void placements()
{
    // Pairs that are far apart in blocks.
    Problem pairs = problem(graph_of(8, {{0, 4, 5}, {1, 5, 5}, {2, 6, 5}, {3, 7, 5}}));
    CHECK_NEAR(cost(pairs, pairs.now), 4 * 5 * 99, 0);
    std::vector<Found> found = search(pairs, 2, kNever);
    CHECK_NEAR(cost(pairs, found[0].slot_of), 0, 0);
    std::vector<Index> slots = found[0].slot_of;
    std::sort(slots.begin(), slots.end());
    CHECK(slots == pairs.now);

    pairs.pinned[0] = 1;
    pairs.now = {7, 1, 2, 3, 4, 5, 6, 0};
    found = search(pairs, 1, kNever);
    CHECK(found[0].slot_of[0] / 2 == 3 && found[0].slot_of[4] / 2 == 3);

    // A placement that cannot be better is told beside the cuts.
    Problem tiled = problem(graph_of(8, {{0, 1, 1}, {2, 3, 1}, {4, 5, 1}, {6, 7, 1}, {0, 2, 1}}));
    found = search(tiled, 1, kNever);
    CHECK(found.size() == 2 && cost(tiled, found[1].slot_of) == cost(tiled, tiled.now));
}

void swaps()
{
    Problem one = problem(grid(8));
    Random random(3);
    std::vector<Index> slots = one.now;
    for (Index i = 63; i > 0; i--)
        std::swap(slots[i], slots[random.below(i + 1)]);
    one.pinned[slots[5]] = 1;
    const std::vector<Index> better = annealed(one, slots, random, kNever);
    CHECK(cost(one, better) < 0.9 * cost(one, slots));
    CHECK(better[slots[5]] == slots[slots[5]]);
    CHECK(annealed(one, slots, random, Moment::min()) == slots); // no time at all
    CHECK(cost(one, annealed(one, better, random, kNever)) <= cost(one, better));
}

void files()
{
    const std::string name = "map_test.problem";
    const std::vector<std::int64_t> head = {1, 2, 2, 1, 0};
    const std::vector<Index> graph = {0, 1, 2, 1, 0}, group = {0, 1}, now = {1, 0};
    const std::vector<float> weights = {3, 3}, step = {9};
    std::string bytes;
    const auto add = [&](const auto &values) {
        bytes.append(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(values[0]));
    };
    add(head), add(graph), add(weights), add(group), add(step), add(now);
    bytes.append(2, '\0');
    const auto reads = [&](const std::string &text) {
        std::ofstream(name, std::ios::binary) << text;
        try {
            const Problem found = read_problem(name);
            search(found, 1, kNever);
            return found.slots() == 2;
        } catch (const Error &error) {
            CHECK(error.exit_code() == kExitInput);
            return false;
        }
    };
    CHECK(reads(bytes));
    for (std::size_t length = 0; length < bytes.size(); length++)
        CHECK(!reads(bytes.substr(0, length)));
    for (std::size_t at = 0; at < bytes.size(); at++) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
        reads(damaged); // it may be another problem, or none; the sanitizers see to the rest
    }
    std::remove(name.c_str());
}

} // namespace

int main()
{
    halves();
    coarser();
    placements();
    swaps();
    files();
    return test::conclude();
}
