#include "alpha_fair.h"

#include "dual_newton.h"
#include <algorithm>
#include <cmath>

namespace rankwise::sim
{

namespace
{

constexpr int kMostSteps = 60;

} // namespace

AlphaFair::AlphaFair(const ModelSettings &settings, Network &network)
    : LocalRelaxation(settings, network, 0), alpha_(settings.alpha), inverse_(1 / settings.alpha)
{
}

std::uint32_t AlphaFair::bottleneck(std::uint32_t flow) const
{
    const auto used = network_.routes[flow].used();
    return *std::ranges::max_element(used, {},
                                     [&](std::uint32_t r) { return network_.resources[r].price; });
}

double AlphaFair::rate_at(double prices, double weight, double limit) const
{
    if (prices <= 0)
        return limit;
    const double share = weight / prices;
    return std::min(limit, alpha_ == 1 ? share : std::pow(share, inverse_));
}

double AlphaFair::power(double base) const
{
    return alpha_ == 1 ? base : std::pow(base, alpha_);
}

double AlphaFair::level(std::uint32_t flow) const
{
    const FlowRoute &route = network_.routes[flow];
    double prices = 0;
    for (const std::uint32_t used : route.used())
        prices += network_.resources[used].price;
    return rate_at(prices, route.weight, network_.flows[flow].limit);
}

AlphaFair::Load AlphaFair::load_at(double price)
{
    Load load{0, 0};
    for (Sharer &one : sharers_) {
        const double prices = one.others + price;
        one.rate = rate_at(prices, one.weight, one.limit);
        load.sum += one.rate;
        load.slope += one.rate < one.limit ? one.rate / prices : 0;
    }
    load.slope *= inverse_;
    return load;
}

/// A step of Newton's method on load^-alpha, which is linear in the price where all flows are
/// alike; between these bounds in any case.
double AlphaFair::next_price(double price, Load load, double bound, double low, double high) const
{
    const double middle = (std::max(low, 0.0) + high) / 2;
    if (load.slope <= 0)
        return middle;
    double next = price + (power(load.sum / bound) - 1) * load.sum / (alpha_ * load.slope);
    if (next <= low && low >= 0)
        next = middle;
    return next >= high && price != high ? middle : std::max(next, 0.0);
}

/// Find the price at which the load is the bound, given the other prices; leaves the rates in
/// `sharers_`.
void AlphaFair::find_price(Resource &resource)
{
    const double bound = resource.bound, tolerance = 0.1 * tolerance_;
    const auto count = static_cast<double>(sharers_.size());
    double heaviest = 0;
    bool alike = true;
    for (const Sharer &one : sharers_) {
        heaviest = std::max(heaviest, one.weight);
        alike = alike && one.others == 0 && one.weight == sharers_[0].weight;
    }
    double low = -1;                               // below none: none has not been tried
    double high = heaviest * power(count / bound); // there all have at most bound / count
    double price = resource.price;
    if (!needs_price(resource))
        price = 0;
    else if (price <= 0 || price > high || alike)
        price = high;
    for (int step = 0; step < kMostSteps; step++) {
        const Load load = load_at(price);
        if (load.sum <= bound) {
            high = price;
            if (price == 0 || load.sum >= bound * (1 - tolerance))
                break;
        } else {
            low = price;
            if (load.sum <= bound * (1 + tolerance))
                break;
        }
        price = next_price(price, load, bound, low, high);
    }
    resource.price = price;
}

void AlphaFair::relax(std::uint32_t resource)
{
    Resource &r = network_.resources[resource];
    const auto entries = r.flows.entries();
    sharers_.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); i++) {
        const Entry &entry = entries[i];
        if (entry.other != kNone) {
            sharers_[i] = {network_.resources[entry.other].price, entry.limit, 1, 0};
            continue;
        }
        const FlowRoute &route = network_.routes[entry.flow()];
        double others = 0;
        for (const std::uint32_t used : route.used())
            others += used == resource ? 0 : network_.resources[used].price;
        sharers_[i] = {others, entry.limit, route.weight, 0};
    }
    find_price(r);
    double load = 0;
    for (std::size_t i = 0; i < entries.size(); i++) {
        load += sharers_[i].rate;
        set_flow(entries[i], sharers_[i].rate, resource, r.price >= sharers_[i].others);
    }
    r.load = load;
}

/// All resources relaxed so far are solved at once, the prices of the others held.
void AlphaFair::hurry()
{
    forget_wrong();
    DualNewton newton(network_, alpha_, relaxed(), places());
    newton.solve(0.5 * tolerance_);
    for (std::size_t i = 0; i < relaxed().size(); i++) {
        network_.resources[relaxed()[i]].price = newton.prices()[i];
        network_.resources[relaxed()[i]].load = newton.loads()[i];
    }
    for (const DualNewton::Member &member : newton.members()) {
        const double change = member.rate - network_.flows[member.flow].rate;
        if (std::abs(change) <= 1e-13 * member.rate)
            continue;
        network_.set_rate(member.flow, member.rate,
                          member.rate < member.limit ? bottleneck(member.flow) : kNone);
        for (const std::uint32_t used : network_.routes[member.flow].used())
            if (place_of(used) == kNone) {
                network_.resources[used].load += change;
                check(used);
            }
    }
    for (const std::uint32_t resource : relaxed())
        check(resource);
}

std::unique_ptr<SharingModel> make_alpha_fair(const ModelSettings &settings, Network &network)
{
    return std::make_unique<AlphaFair>(settings, network);
}

} // namespace rankwise::sim
