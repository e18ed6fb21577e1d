#include "rate_adjoint.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankwise::sim
{

namespace
{

using Values = std::vector<double>;
using Member = Component::Member;

double scalar_product(const Values &one, const Values &other)
{
    return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

/// What the resources' prices make of a member's rate: how fast it falls.
double stiffness(const Member &member, double alpha)
{
    return member.is_limited() ? 0 : std::pow(member.rate, 1 + alpha) / (alpha * member.weight);
}

/// Solve M y = b, b being in M's range, by conjugate gradients; M's row of a resource sums the
/// stiffness of its members over their resources. Where two resources have the same members any
/// solution will do.
Values solve_prices(const Component &component, const Values &stiff, const Values &right)
{
    const std::size_t n = right.size();
    Values diagonal(n), solution(n), residual = right, scaled(n), product(n);
    for (std::size_t m = 0; m < component.members.size(); m++)
        for (const std::uint32_t r : component.members[m].used())
            diagonal[r] += stiff[m];
    const auto precondition = [&] {
        for (std::size_t r = 0; r < n; r++)
            scaled[r] = diagonal[r] > 0 ? residual[r] / diagonal[r] : 0;
    };
    precondition();
    Values direction = scaled;
    double size = scalar_product(residual, scaled);
    const double enough = 1e-24 * size;
    for (std::size_t step = 0; step < 100 + 4 * n && size > enough; step++) {
        std::ranges::fill(product, 0);
        for (std::size_t m = 0; m < component.members.size(); m++) {
            double along = 0;
            for (const std::uint32_t r : component.members[m].used())
                along += direction[r];
            for (const std::uint32_t r : component.members[m].used())
                product[r] += along * stiff[m];
        }
        const double curvature = scalar_product(direction, product);
        if (curvature <= 0)
            break;
        for (std::size_t r = 0; r < n; r++) {
            solution[r] += size / curvature * direction[r];
            residual[r] -= size / curvature * product[r];
        }
        precondition();
        const double next = scalar_product(residual, scaled);
        for (std::size_t r = 0; r < n; r++)
            direction[r] = scaled[r] + next / size * direction[r];
        size = next;
    }
    return solution;
}

/// A resource that is full without a price holds nobody back: that happens where capacities are in
/// simple ratios, as of an uplink with two flows and a WAN with three. Prices follow from the
/// rates, w x^-alpha = the sum of them, by least squares.
void forget_without_price(const ModelSettings &model, Component &component)
{
    Values alike, sums(component.resources.size());
    for (const Member &one : component.members) {
        alike.push_back(one.is_limited() ? 0 : 1);
        for (const std::uint32_t r : one.used())
            sums[r] += alike.back() * one.weight * std::pow(one.rate, -model.alpha);
    }
    const Values prices = solve_prices(component, alike, sums);
    const double highest = *std::ranges::max_element(prices);
    const double least = highest * std::max(1e-6, 2 * model.tolerance);
    for (Member &one : component.members) {
        const auto kept = std::remove_if(one.full.begin(), one.full.begin() + one.count,
                                         [&](std::uint32_t r) { return prices[r] <= least; });
        one.count = static_cast<std::uint8_t>(kept - one.full.begin());
    }
}

void take_back_alpha_fair(double alpha, Component &component)
{
    Values stiff, right(component.resources.size());
    for (const Member &one : component.members) {
        stiff.push_back(stiffness(one, alpha));
        for (const std::uint32_t r : one.used())
            right[r] -= stiff.back() * one.adjoint;
    }
    const Values prices = solve_prices(component, stiff, right);
    for (std::size_t r = 0; r < prices.size(); r++)
        component.adjoints[r] = -prices[r];
    for (Member &one : component.members) {
        for (const std::uint32_t r : one.used())
            one.adjoint += prices[r];
        one.adjoint = one.is_limited() ? one.adjoint : 0;
    }
}

/// Each flow is held by a resource where no other flow gets more. Those with higher levels come
/// first: their level depends on the flows that others hold.
void take_back_max_min(double tolerance, Component &component)
{
    const std::size_t n = component.resources.size();
    Values levels(n), right(n), weights(n);
    for (const Member &one : component.members)
        for (const std::uint32_t r : one.used())
            levels[r] = std::max(levels[r], one.is_limited() ? 0 : one.rate / one.weight);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::uint32_t r) { return levels[r]; });
    std::vector<std::uint32_t> turn(n);
    for (std::uint32_t i = 0; i < n; i++)
        turn[order[i]] = i;
    std::vector<std::vector<std::uint32_t>> held(n);
    for (std::uint32_t m = 0; m < component.members.size(); m++) {
        const Member &one = component.members[m];
        if (one.is_limited() || one.count == 0)
            continue;
        const std::uint32_t by =
            *std::ranges::max_element(one.used(), {}, [&](std::uint32_t r) { return turn[r]; });
        if (one.rate / one.weight < levels[by] * (1 - 4 * tolerance))
            continue; // nothing that is full holds it
        held[by].push_back(m);
        right[by] += one.weight * one.adjoint;
        weights[by] += one.weight;
    }
    for (const std::uint32_t s : order) {
        for (const std::uint32_t m : held[s])
            for (const std::uint32_t r : component.members[m].used())
                right[s] -= r == s ? 0 : component.members[m].weight * component.adjoints[r];
        component.adjoints[s] = weights[s] > 0 ? right[s] / weights[s] : 0;
    }
    for (Member &one : component.members) {
        for (const std::uint32_t r : one.used())
            one.adjoint -= component.adjoints[r];
        one.adjoint = one.is_limited() ? one.adjoint : 0;
    }
}

} // namespace

void take_back_rates(const ModelSettings &model, Component &component)
{
    component.adjoints.assign(component.resources.size(), 0);
    switch (model.sharing) {
    case Sharing::alpha_fair:
        if (component.resources.size() > 1)
            forget_without_price(model, component);
        take_back_alpha_fair(model.alpha, component);
        break;
    case Sharing::max_min:
        take_back_max_min(model.tolerance, component);
        break;
    default:
        for (Member &one : component.members)
            one.adjoint *= one.rate / one.limit;
    }
}

} // namespace rankwise::sim
