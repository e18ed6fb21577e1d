// Max-min fair sharing (Bertsekas and Gallager, Data Networks, 6.5.2), weighted: what SimGrid does.
// A resource's price is its level: no flow gets more of it than that, times its weight.
#include "local_relaxation.h"

#include <algorithm>

namespace rankwise::sim
{

namespace
{

constexpr double kNoLevel = 1e300;

class MaxMin final : public LocalRelaxation
{
  public:
    MaxMin(const ModelSettings &settings, Network &network)
        : LocalRelaxation(settings, network, kNoLevel)
    {
    }

  protected:
    std::uint32_t bottleneck(std::uint32_t flow) const override
    {
        const auto used = network_.routes[flow].used();
        return *std::ranges::min_element(
            used, {}, [&](std::uint32_t r) { return network_.resources[r].price; });
    }

    double level(std::uint32_t flow) const override
    {
        return std::min(network_.flows[flow].limit, level_without(flow, kNone));
    }
    void relax(std::uint32_t resource) override;

  private:
    double level_without(std::uint32_t flow, std::uint32_t without) const
    {
        const FlowRoute &route = network_.routes[flow];
        double lowest = kNoLevel;
        for (const std::uint32_t used : route.used())
            if (used != without)
                lowest = std::min(lowest, network_.resources[used].price);
        return lowest * route.weight;
    }
    double fitting_level(double bound) const;

    struct Sharer {
        double others; // the rate that all but this resource allow
        double weight;
    };
    std::vector<Sharer> sharers_;
};

/// The level at which the rates sum up to the bound. Flows that other resources hold below it keep
/// theirs; the level grows with every flow that turns out to be one.
double MaxMin::fitting_level(double bound) const
{
    double all = 0, weights = 0;
    for (const Sharer &one : sharers_) {
        all += one.others;
        weights += one.weight;
    }
    if (all <= bound * (1 + 1e-12))
        return kNoLevel;
    double level = bound / weights;
    for (std::size_t round = 0; round <= sharers_.size(); round++) {
        double held = 0, free_weights = 0;
        for (const Sharer &one : sharers_) {
            const bool is_held = one.others < level * one.weight;
            held += is_held ? one.others : 0;
            free_weights += is_held ? 0 : one.weight;
        }
        const double next = free_weights > 0 ? (bound - held) / free_weights : level;
        if (next <= level * (1 + 1e-13))
            break;
        level = next;
    }
    return level;
}

void MaxMin::relax(std::uint32_t resource)
{
    Resource &r = network_.resources[resource];
    const auto entries = r.flows.entries();
    sharers_.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); i++) {
        const Entry &entry = entries[i];
        if (entry.other != kNone)
            sharers_[i] = {std::min(entry.limit, network_.resources[entry.other].price), 1};
        else
            sharers_[i] = {std::min(entry.limit, level_without(entry.flow(), resource)),
                           network_.routes[entry.flow()].weight};
    }
    r.price = fitting_level(r.bound);
    double load = 0;
    for (std::size_t i = 0; i < entries.size(); i++) {
        const double own = r.price * sharers_[i].weight;
        const double rate = std::min(sharers_[i].others, own);
        load += rate;
        set_flow(entries[i], rate, resource, own <= sharers_[i].others);
    }
    r.load = load;
}

} // namespace

std::unique_ptr<SharingModel> make_max_min(const ModelSettings &settings, Network &network)
{
    return std::make_unique<MaxMin>(settings, network);
}

} // namespace rankwise::sim
