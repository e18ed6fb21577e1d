#include "dual_newton.h"

#include <algorithm>
#include <cmath>

namespace rankwise::sim
{

namespace
{

constexpr int kMostNewtonSteps = 60, kMostGradients = 200, kMostHalvings = 25;

double product_of(const std::vector<double> &one, const std::vector<double> &other)
{
    double sum = 0;
    for (std::size_t i = 0; i < one.size(); i++)
        sum += one[i] * other[i];
    return sum;
}

} // namespace

DualNewton::DualNewton(const Network &network, double alpha,
                       std::span<const std::uint32_t> resources,
                       std::span<const std::uint32_t> place)
    : alpha_(alpha), inverse_(1 / alpha)
{
    for (const std::uint32_t number : resources) {
        const Resource &resource = network.resources[number];
        const bool may = resource.flows.count() > 1 || resource.bound < resource.capacity;
        bounds_.push_back(resource.bound);
        may_have_price_.push_back(may);
        prices_.push_back(may ? resource.price : 0);
    }
    collect(network, resources, place);
    const std::size_t n = resources.size();
    for (auto *values : {&loads_, &step_, &residual_, &direction_, &scaled_, &product_, &diagonal_})
        values->resize(n);
    is_free_.resize(n);
}

void DualNewton::collect(const Network &network, std::span<const std::uint32_t> resources,
                         std::span<const std::uint32_t> place)
{
    std::size_t most = 0;
    for (const std::uint32_t resource : resources)
        most += network.resources[resource].flows.count();
    members_.reserve(most);
    for (const std::uint32_t resource : resources)
        for (const Entry &entry : network.resources[resource].flows.entries()) {
            const std::uint32_t flow = entry.flow();
            const FlowRoute &route = network.routes[flow];
            Member member{flow, 0, {}, 0, entry.limit, route.weight, 0, 0};
            bool met_before = false;
            for (const std::uint32_t used : route.used()) {
                if (place[used] == kNone) {
                    member.outside += network.resources[used].price;
                } else {
                    met_before = met_before || (member.count == 0 && used != resource);
                    member.inside[member.count++] = place[used];
                }
            }
            if (!met_before)
                members_.push_back(member);
        }
}

double DualNewton::prices_of(const Member &member, const std::vector<double> &prices) const
{
    double sum = member.outside;
    for (std::uint32_t i = 0; i < member.count; i++)
        sum += prices[member.inside[i]];
    return sum;
}

double DualNewton::evaluate(const std::vector<double> &prices)
{
    double value = product_of(prices, bounds_);
    std::ranges::fill(loads_, 0);
    for (Member &one : members_) {
        const double sum = prices_of(one, prices);
        one.rate = one.limit;
        if (sum > 0)
            one.rate = std::min(one.limit, alpha_ == 1 ? one.weight / sum
                                                       : std::pow(one.weight / sum, inverse_));
        one.stiffness = one.rate < one.limit ? one.rate * inverse_ / sum : 0;
        value += (alpha_ == 1 ? one.weight * std::log(one.rate)
                              : one.weight * std::pow(one.rate, 1 - alpha_) / (1 - alpha_)) -
                 sum * one.rate;
        for (std::uint32_t i = 0; i < one.count; i++)
            loads_[one.inside[i]] += one.rate;
    }
    return value;
}

/// Free are the resources whose price is positive or should be; return the largest residual among
/// them.
double DualNewton::choose_free()
{
    std::ranges::fill(diagonal_, 0);
    for (const Member &one : members_)
        for (std::uint32_t i = 0; i < one.count; i++)
            diagonal_[one.inside[i]] += one.stiffness;
    double largest = 0;
    for (std::size_t i = 0; i < prices_.size(); i++) {
        const double excess = loads_[i] - bounds_[i];
        is_free_[i] = may_have_price_[i] && (prices_[i] > 0 || excess > 0);
        if (is_free_[i])
            largest = std::max(largest, std::abs(excess) / bounds_[i]);
        is_free_[i] = is_free_[i] && diagonal_[i] > 0;
    }
    return largest;
}

void DualNewton::find_step(double worst)
{
    const std::size_t n = prices_.size();
    std::ranges::fill(step_, 0);
    for (std::size_t i = 0; i < n; i++) {
        residual_[i] = is_free_[i] ? loads_[i] - bounds_[i] : 0;
        scaled_[i] = is_free_[i] ? residual_[i] / diagonal_[i] : 0;
        direction_[i] = scaled_[i];
    }
    double size = product_of(residual_, scaled_);
    const double enough = size * std::min(1e-2, worst) * 1e-2;
    for (int gradient = 0; gradient < kMostGradients && size > enough; gradient++) {
        std::ranges::fill(product_, 0);
        for (const Member &one : members_) {
            double along = 0;
            for (std::uint32_t i = 0; i < one.count; i++)
                along += direction_[one.inside[i]];
            for (std::uint32_t i = 0; i < one.count; i++)
                product_[one.inside[i]] += along * one.stiffness;
        }
        for (std::size_t i = 0; i < n; i++)
            if (!is_free_[i])
                product_[i] = 0;
        const double curvature = product_of(direction_, product_);
        if (curvature <= 0)
            break;
        const double length = size / curvature;
        for (std::size_t i = 0; i < n; i++) {
            step_[i] += length * direction_[i];
            residual_[i] -= length * product_[i];
            scaled_[i] = is_free_[i] ? residual_[i] / diagonal_[i] : 0;
        }
        const double next = product_of(residual_, scaled_), ratio = next / size;
        size = next;
        for (std::size_t i = 0; i < n; i++)
            direction_[i] = scaled_[i] + ratio * direction_[i];
    }
}

bool DualNewton::take_step(double &value)
{
    double length = 1;
    for (int halving = 0; halving < kMostHalvings; halving++, length /= 2) {
        trial_ = prices_;
        for (std::size_t i = 0; i < trial_.size(); i++)
            trial_[i] = std::max(0.0, trial_[i] + length * step_[i]);
        const double reached = evaluate(trial_);
        if (reached <= value + 1e-13 * std::abs(value)) {
            prices_.swap(trial_);
            value = reached;
            return true;
        }
    }
    evaluate(prices_);
    return false;
}

void DualNewton::solve(double tolerance)
{
    double value = evaluate(prices_);
    for (int i = 0; i < kMostNewtonSteps; i++) {
        const double worst = choose_free();
        if (worst <= tolerance)
            return;
        find_step(worst);
        if (!take_step(value))
            return;
    }
}

} // namespace rankwise::sim
