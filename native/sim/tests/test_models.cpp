// The models give the times that algebra gives: zigzags, chains, stars, parking lots, and the
// tables of Martinasso and Mehaut (2006). Times are in units of a flow alone.
#include "world.h"
#include <cmath>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

const std::vector<TestFlow> in2 = {{0, 1}, {2, 1}}, out2 = {{1, 0}, {1, 2}},
                            chain2 = {{0, 1}, {1, 2}}, zigzag3 = {{0, 1}, {2, 1}, {2, 3}},
                            zigzag4 = {{0, 1}, {2, 1}, {2, 3}, {4, 3}},
                            zigzag5 = {{0, 1}, {2, 1}, {2, 3}, {4, 3}, {4, 5}},
                            chain3 = {{0, 1}, {1, 2}, {2, 3}},
                            mixed = {{1, 0}, {1, 2}, {2, 3}, {3, 4}};

void max_min()
{
    const Platform p = ideal(8, model(Sharing::max_min));
    expect_times("in", p, in2, {2, 2});
    expect_times("out", p, out2, {2, 2});
    expect_times("chain", p, chain2, {1, 1}); // both directions of a NIC are its own
    expect_times("zigzag", p, zigzag3, {2, 2, 2});
    expect_times("mixed", p, mixed, {2, 2, 1, 1});
    expect_times("3 to 1", p, {{0, 3}, {1, 3}, {2, 3}}, {3, 3, 3});
    // 0 sends to 1 and 2, which 3 sends to as well: 0 has 1/2 and 1/2, and 3 to 2 the other half.
    // When all that ends at 2, nothing is left.
    expect_times("square", p, {{0, 1}, {0, 2}, {3, 2}}, {2, 2, 2});
    // Three into 1, one of them beside a fourth flow out of 2: 1/3 each, so that has 2/3: ends
    // at 1.5. Nobody gains: they are held at 1. All three end at 3.
    expect_times("leftover", p, {{0, 1}, {3, 1}, {2, 1}, {2, 4}}, {3, 3, 3, 1.5});
}

/// Zigzag of 3: the outer rate a and the middle one 1 - a have a/(1 - a) = 2^(1/alpha).
double outer(double alpha)
{
    const double ratio = std::pow(2, 1 / alpha);
    return ratio / (1 + ratio);
}

void alpha_fair()
{
    for (const double alpha : {0.5, 1.0, 2.0, 2.41, 4.0, 16.0}) {
        const Platform p = ideal(8, model(Sharing::alpha_fair, alpha));
        const double end = 1 / outer(alpha);
        expect_times("in", p, in2, {2, 2});
        expect_times("out", p, out2, {2, 2});
        // The outer ones end at 1/a; the middle one has then done (1 - a)/a, and goes on at 1: it
        // ends at 2.
        expect_times("zigzag 3", p, zigzag3, {end, 2, end});
        expect_times("zigzag 4", p, zigzag4, {2, 2, 2, 2}); // even: 1/2 for any alpha
        expect_times("4 to 1", p, {{0, 4}, {1, 4}, {2, 4}, {3, 4}}, {4, 4, 4, 4});
    }
    // Prices p, q, q, p of the nodes between: rates 1/p, 1/(p + q), 1/(2 q), ... with 1/p + 1/(p +
    // q) = 1 and 1/(p + q) + 1/(2 q) = 1 give p = 5/3, q = 5/6: outer ones have 3/5, the others
    // 2/5, 3/5, 2/5.
    expect_times("zigzag 5", ideal(8, model(Sharing::alpha_fair)), zigzag5,
                 {5. / 3, 2, 5. / 3, 2, 5. / 3});
    expect_times("LAM's zigzag", ideal(8, model(Sharing::alpha_fair, 1)), zigzag3, {1.5, 2, 1.5});
    CHECK_NEAR(1 / outer(2.41), 1.75, 2e-4); // MPICH's: 4/7
}

/// The host bus: what is received comes first.
void bus()
{
    const Platform p = ideal(8, model(Sharing::alpha_fair, 1, 1.25));
    // 1 receives at 1 and so sends at 1/4; from 1 on at 1: 1 + 3/4.
    expect_times("chain of 2", p, chain2, {1, 1.75});
    expect_times("chain of 3", p, chain3, {1, 1.75, 1});
    // 2 receives 1/2 and sends 3/4 until 4/3; 3 receives 3/4 and sends 1/2 until then, that is 2/3,
    // and 1/3 at 1.
    expect_times("mixed", p, mixed, {2, 2, 4. / 3, 5. / 3});
    expect_times("zigzag", p, zigzag3, {1.5, 2, 1.5});
    expect_times("max-min with a bus", ideal(8, model(Sharing::max_min, 1, 1.25)), chain2,
                 {1, 1.75});
}

ModelSettings cuts(double outer_cut, double mixed_cut)
{
    ModelSettings settings = model(Sharing::flow_cuts);
    settings.outer_cut = outer_cut;
    settings.mixed_cut = mixed_cut;
    return settings;
}

/// The paper's table 2 (its columns in the order that its measurements have), and times measured
/// beside it.
void flow_cuts()
{
    const Platform lam = ideal(8, cuts(1. / 2, 3)), mpich = ideal(8, cuts(3. / 4, 3)),
                   myrinet = ideal(8, cuts(1, 0));
    for (const Platform *p : {&lam, &mpich, &myrinet}) {
        expect_times("in", *p, in2, {2, 2});
        expect_times("out", *p, out2, {2, 2});
        expect_times("zigzag 4", *p, zigzag4, {2, 2, 2, 2});
        expect_times("closed", *p, {{0, 1}, {2, 1}, {2, 3}, {0, 3}}, {2, 2, 2, 2});
        expect_times("3 to 1", *p, {{0, 3}, {1, 3}, {2, 3}}, {3, 3, 3});
    }
    expect_times("LAM chain", lam, chain2, {1, 1.75});
    expect_times("Myrinet chain", myrinet, chain2, {1, 1});
    expect_times("LAM zigzag", lam, zigzag3, {1.5, 2, 1.5});
    expect_times("MPICH zigzag", mpich, zigzag3, {1.75, 2, 1.75});
    expect_times("Myrinet zigzag", myrinet, zigzag3, {2, 2, 2});
    expect_times("LAM mixed", lam, mixed, {2, 2, 1, 1.75}); // R3: 1 -> 2 is in a conflict already
    expect_times("MPICH mixed", mpich, mixed, {2, 2, 1, 1.75});
    expect_times("Myrinet mixed", myrinet, mixed, {2, 2, 1, 1});
    expect_times("LAM chain of 3", lam, chain3, {1, 1.75, 1});
    // Cuts 1/2, 2, 1/2, 2, 1/2: rates 2/3, 1/3 until 1.5, when the inner two have done half and are
    // alone.
    expect_times("LAM zigzag 5", lam, zigzag5, {1.5, 2, 1.5, 2, 1.5});
    // A circle begins with the flow that began first: the second is cut, the third is the first of
    // the next pair, but has nobody after it: both end at 1.
    expect_times("circle", lam, {{0, 1}, {1, 2}, {2, 0}}, {1, 1.75, 1});
}

/// The paper's table 4: broadcasts of 10 MB to 8 processes on 4 nodes; with mapping B the last step
/// has conflicts of two. Seconds, from the bandwidths of its table 1.
void broadcasts()
{
    const struct {
        double rate, outer_cut, mixed_cut, expected_b;
    } rows[] = {{112.2e6, 0.5, 3, 0.334}, {112.1e6, 0.75, 3, 0.334}, {219.4e6, 1, 0, 0.136}};
    for (const auto &row : rows) {
        Platform p = ideal(4, cuts(row.outer_cut, row.mixed_cut));
        for (Node &node : p.nodes)
            node.out = node.in = row.rate;
        p.classes[0].ranges[0].gap_byte = kPicosecondsPerSecond / row.rate;
        const Program program = read_goal_text(
            "num_ranks 8\n"
            "rank 0 {\na: send 10000000b to 4\nb: send 10000000b to 2\nb requires a\n"
            "c: send 10000000b to 1\nc requires b\n}\n"
            "rank 4 {\na: recv 10000000b from 0\nb: send 10000000b to 6\nb requires a\n"
            "c: send 10000000b to 5\nc requires b\n}\n"
            "rank 2 {\na: recv 10000000b from 0\nb: send 10000000b to 3\nb requires a\n}\n"
            "rank 6 {\na: recv 10000000b from 4\nb: send 10000000b to 7\nb requires a\n}\n"
            "rank 1 {\nrecv 10000000b from 0\n}\nrank 3 {\nrecv 10000000b from 2\n}\n"
            "rank 5 {\nrecv 10000000b from 4\n}\nrank 7 {\nrecv 10000000b from 6\n}\n",
            "broadcast", {});
        p.classes[0].eager_below = 0; // MPI_Send returns when the data have left
        // Ranks 0, 4, 2, 6 on nodes 0 to 3; 1 on 1 and 5 on 0, 3 on 3 and 7 on 2.
        const std::vector<Job> jobs = {{"b", &program, {0, 1, 2, 3, 1, 0, 3, 2}}};
        CHECK_NEAR(seconds(Engine(p, jobs).run().total), row.expected_b, 1.5e-3);
    }
}

/// A link shared by flows that are alone elsewhere: 1/(n + 1) of a parking lot of n links for the
/// long flow with alpha 1, that is 1/n each for max-min.
void parking_lot(std::uint32_t hops)
{
    Platform p = ideal(0, model(Sharing::alpha_fair));
    p.sites.clear();
    for (std::uint32_t site = 0; site <= hops; site++) {
        p.sites.push_back("s" + std::to_string(site));
        for (int i = 0; i < 2; i++)
            p.nodes.push_back({site, 0, 10 * kRate, 10 * kRate});
        if (site < hops)
            p.links.push_back({"l" + std::to_string(site), kRate, site});
    }
    p.classes[0].ranges[0].gap_byte = 0;
    p.routes.resize(p.sites.size() * p.sites.size());
    for (std::uint32_t from = 0; from < hops; from++)
        for (std::uint32_t to = from + 1; to <= hops; to++)
            for (std::uint32_t link = from; link < to; link++)
                p.routes[from * p.sites.size() + to].links.push_back(link);
    std::vector<TestFlow> flows = {{0, 2 * hops}};
    for (std::uint32_t hop = 0; hop < hops; hop++)
        flows.push_back({2 * hop + 1, 2 * hop + 3});
    // The short ones have hops/(hops + 1); when they have ended, the long one goes on alone.
    const double rate = 1. / (hops + 1), end = 1 / (1 - rate);
    std::vector<double> expected(flows.size(), end);
    expected[0] = end + (1 - end * rate);
    expect_times("parking lot", p, flows, expected);
    p.model = model(Sharing::max_min);
    expect_times("max-min parking lot", p, flows, std::vector<double>(flows.size(), 2));
}

/// A class of weight 3 has three times the rate on a shared link.
void weights()
{
    Platform p = ideal(0, model(Sharing::alpha_fair));
    p.sites = {"a", "b", "c"};
    for (const std::uint32_t site : {0U, 1U, 2U})
        p.nodes.push_back({site, 0, kRate, kRate});
    p.classes.push_back(p.classes[0]);
    p.classes[1].weight = 3;
    p.routes.resize(9);
    p.routes[0 * 3 + 2].pair_class = 1;
    // 3/4 until 4/3; the other has then done 1/3 and goes on alone.
    for (const Sharing sharing : {Sharing::alpha_fair, Sharing::max_min}) {
        p.model = model(sharing);
        expect_times("weights", p, {{0, 2}, {1, 2}}, {4. / 3, 2});
    }
}

} // namespace

int main()
{
    max_min();
    alpha_fair();
    bus();
    flow_cuts();
    broadcasts();
    for (const std::uint32_t hops : {1U, 2U, 3U, 4U})
        parking_lot(hops);
    weights();
    return rankwise::test::conclude();
}
