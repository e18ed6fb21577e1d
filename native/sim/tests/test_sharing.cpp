// On random instances alpha-fair rates satisfy the conditions of the optimum (Karush, Kuhn,
// Tucker), max-min rates are those of progressive filling, and the one is the limit of the other.
// With a window, data wait behind what other flows keep in the queues on their way, and no other.
#include "world.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

constexpr std::uint32_t kNodes = 32, kSites = 4;

Platform sites_platform()
{
    Platform p = ideal(0);
    p.sites.clear();
    for (std::uint32_t s = 0; s < kSites; s++) {
        p.sites.push_back("s" + std::to_string(s));
        for (std::uint32_t i = 0; i < kNodes / kSites; i++)
            p.nodes.push_back({s, 0, kRate, kRate});
        p.links.push_back({"up" + std::to_string(s), 2 * kRate, 0});
        p.links.push_back({"down" + std::to_string(s), 2 * kRate, 2});
    }
    p.links.push_back({"wan", 5 * kRate, 1});
    p.classes.push_back(p.classes[0]);
    p.classes[1].weight = 0.5;
    p.routes.resize(std::size_t{kSites} * kSites);
    for (std::uint32_t a = 0; a < kSites; a++)
        for (std::uint32_t b = 0; b < kSites; b++)
            if (a != b)
                p.routes[a * kSites + b] = {{2 * a, 2 * kSites, 2 * b + 1}, 1};
    return p;
}

/// A network with flows in it, settled after each so many changes as a run would.
struct Instance {
    Platform platform = sites_platform();
    Network network{platform};
    std::unique_ptr<SharingModel> model;
    std::vector<std::uint32_t> flows;

    explicit Instance(const ModelSettings &settings)
    {
        platform.model = settings;
        model = make_model(settings, network);
    }
    void add(std::uint32_t from, std::uint32_t to)
    {
        const PairClass &pairs = platform.pair_class(from, to);
        flows.push_back(network.begin(0, from, to, 1 << 20, pairs.ranges[0], pairs.weight));
        model->started(flows.back());
    }
    void remove(std::size_t i)
    {
        network.leave(flows[i]);
        model->ended(flows[i]);
        network.forget(flows[i]);
        flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::vector<double> rates() const
    {
        std::vector<double> rates;
        for (const std::uint32_t flow : flows)
            rates.push_back(network.flows[flow].rate);
        return rates;
    }
};

/// The same flows come and go whatever the model.
std::unique_ptr<Instance> random_instance(std::uint64_t seed, const ModelSettings &settings)
{
    std::mt19937_64 random(seed);
    auto made = std::make_unique<Instance>(settings);
    const std::size_t wanted = 20 + random() % 200;
    while (made->flows.size() < wanted) {
        const auto from = static_cast<std::uint32_t>(random() % kNodes),
                   to = static_cast<std::uint32_t>(random() % kNodes);
        if (from == to)
            continue;
        made->add(from, to);
        if (random() % 4 == 0)
            made->remove(random() % made->flows.size());
        if (random() % 8 == 0)
            made->model->settle();
    }
    made->model->settle();
    return made;
}

/// Feasible; a price only where the capacity is used; each rate what its prices say: the largest
/// error.
double residual(const Instance &instance, double alpha)
{
    const Network &network = instance.network;
    std::vector<double> load(network.resources.size());
    double worst = 0;
    for (const std::uint32_t flow : instance.flows) {
        double prices = 0;
        for (const std::uint32_t used : network.routes[flow].used()) {
            load[used] += network.flows[flow].rate;
            prices += network.resources[used].price;
        }
        const double rate = network.flows[flow].rate, limit = network.flows[flow].limit;
        const double wanted =
            prices > 0 ? std::min(limit, std::pow(network.routes[flow].weight / prices, 1 / alpha))
                       : limit;
        worst = std::max(worst, std::abs(rate / wanted - 1));
    }
    for (std::size_t r = 0; r < load.size(); r++) {
        const double used = load[r] / network.resources[r].capacity;
        worst = std::max(worst, used - 1);
        if (network.resources[r].price > 0)
            worst = std::max(worst, std::abs(used - 1));
    }
    return worst;
}

/// All rates grow in proportion to the weights until a resource is full, which holds its flows; and
/// so on.
std::vector<double> progressive_filling(const Instance &instance)
{
    const Network &network = instance.network;
    std::vector<double> left, rates(instance.flows.size());
    for (const Resource &resource : network.resources)
        left.push_back(resource.capacity);
    std::vector<char> held(rates.size());
    for (std::size_t todo = rates.size(); todo > 0;) {
        std::vector<double> weight(left.size());
        double step = 1e300;
        for (std::size_t i = 0; i < rates.size(); i++)
            for (const std::uint32_t used : network.routes[instance.flows[i]].used())
                weight[used] += held[i] ? 0 : network.routes[instance.flows[i]].weight;
        for (std::size_t r = 0; r < left.size(); r++)
            if (weight[r] > 0)
                step = std::min(step, left[r] / weight[r]);
        for (std::size_t r = 0; r < left.size(); r++)
            left[r] -= step * weight[r];
        for (std::size_t i = 0; i < rates.size(); i++)
            if (!held[i])
                rates[i] += step * network.routes[instance.flows[i]].weight;
        for (std::size_t i = 0; i < rates.size(); i++)
            for (const std::uint32_t used : network.routes[instance.flows[i]].used())
                if (!held[i] && left[used] < 1e-12) {
                    held[i] = true;
                    todo--;
                }
    }
    return rates;
}

double difference(const std::vector<double> &one, const std::vector<double> &other)
{
    double worst = 0;
    for (std::size_t i = 0; i < one.size(); i++)
        worst = std::max(worst, std::abs(one[i] / other[i] - 1));
    return worst;
}

void optimum()
{
    for (const double tolerance : {1e-3, 1e-6, 1e-9})
        for (const double alpha : {0.5, 1.0, 2.0, 2.41, 4.0}) {
            double worst = 0;
            for (std::uint64_t seed = 1; seed <= 6; seed++) {
                ModelSettings settings = model(Sharing::alpha_fair, alpha);
                settings.tolerance = tolerance;
                worst = std::max(worst, residual(*random_instance(seed, settings), alpha));
            }
            CHECK_NEAR(worst, 0, 1.01 * tolerance + 1e-12);
        }
}

void filling()
{
    double worst = 0;
    for (std::uint64_t seed = 1; seed <= 30; seed++) {
        const auto instance = random_instance(seed, model(Sharing::max_min));
        worst = std::max(worst, difference(instance->rates(), progressive_filling(*instance)));
    }
    CHECK_NEAR(worst, 0, 1e-7);
}

/// The larger alpha, the closer to max-min (of weights to the power of 1/alpha; here all are 1).
void limit()
{
    double before = 1;
    for (const double alpha : {1.0, 4.0, 16.0}) {
        double worst = 0;
        for (std::uint64_t seed = 1; seed <= 12; seed++) {
            std::mt19937_64 random(seed);
            Instance fair(model(Sharing::alpha_fair, alpha)), filled(model(Sharing::max_min));
            for (int i = 0; i < 60; i++) {
                const auto from = static_cast<std::uint32_t>(random() % 8),
                           to = static_cast<std::uint32_t>(random() % 8);
                if (from == to)
                    continue;
                fair.add(from, to);
                filled.add(from, to);
            }
            fair.model->settle();
            filled.model->settle();
            worst = std::max(worst, difference(fair.rates(), filled.rates()));
        }
        CHECK(worst < before);
        before = worst;
    }
    CHECK_NEAR(before, 0, 0.05);
}

} // namespace

int main()
{
    optimum();
    filling();
    limit();
    return rankwise::test::conclude();
}
