// The solver of models in which every resource has a price.
#pragma once
#include "sharing_model.h"
#include <array>
#include <cstdint>
#include <vector>

namespace rankwise::sim
{

/// A flow's rate follows from the prices on its route. A resource is wrong if it has more load than
/// its bound, or if it has a price and is not full, by more than the tolerance. To relax a resource
/// is to find the price with which it is right, all others being held; that changes the rates of
/// its flows, and other resources may become wrong. Relaxing goes on, from the prices there were,
/// until nothing is wrong: what is far away is never looked at. All wrong senders are relaxed
/// before all wrong receivers, these before links: that is what makes it quick.
///
/// The host bus: what a node sends may be bounded by out(X) <= kappa - in(X), in units of its out
/// rate, as receiving comes first. This is no optimum of anything, and on circles of nodes more
/// than one set of rates obeys it. The one that is meant here is defined by how it is found, for
/// the flows that are connected with a change (through resources and through nodes), whatever the
/// rates were before: (1) solve without the bus; (2) set the bounds from what is received, and
/// solve again; and so on until no bound moves by more than the tolerance, from the fourth round on
/// moving half way only. After kBusRounds it stops with the last bounds. On patterns without
/// circles it ends by itself: what a node receives depends on nodes upstream alone. No bound is
/// below kBusFloor of the capacity, so that every flow ends.
class LocalRelaxation : public SharingModel
{
  public:
    static constexpr int kBusRounds = 40;
    static constexpr double kBusFloor = 1e-3;

    void started(std::uint32_t flow) override;
    void ended(std::uint32_t flow) override;
    void settle() override;
    bool lone_is_free() const override
    {
        return !has_bus_;
    }

  protected:
    LocalRelaxation(const ModelSettings &settings, Network &network, double no_price);

    /// Find the resource's price and tell each of its flows its rate with `set_flow`.
    virtual void relax(std::uint32_t resource) = 0;
    /// Return the rate that the prices give a flow.
    virtual double level(std::uint32_t flow) const = 0;
    /// Relaxing takes long: do something about the resources in `relaxed()`.
    virtual void hurry()
    {
    }

    /// Change a flow's rate while `by` is being relaxed, and say whether it is that which holds the
    /// flow back.
    void set_flow(const Entry &entry, double rate, std::uint32_t by, bool holds);
    /// Return the resource of a flow that holds it back most.
    virtual std::uint32_t bottleneck(std::uint32_t flow) const = 0;
    bool is_wrong(std::uint32_t resource) const;
    void check(std::uint32_t resource);
    /// A resource with one flow needs no price: the flow's limit keeps it within the capacity.
    bool needs_price(const Resource &resource) const
    {
        return resource.flows.count() > 1 || resource.bound < resource.capacity;
    }
    /// All resources relaxed or to be relaxed since settle began; `place_of` is where they are in
    /// it.
    std::vector<std::uint32_t> &relaxed()
    {
        return relaxed_;
    }
    std::uint32_t place_of(std::uint32_t resource) const
    {
        return place_[resource];
    }
    const std::vector<std::uint32_t> &places() const
    {
        return place_;
    }
    void forget_wrong();

    Network &network_;
    const double tolerance_;
    const double no_price_;

  private:
    static constexpr std::size_t kLayers = kLongestRoute;

    void shift(std::uint32_t resource, double change);
    void mark(std::uint32_t resource);
    void note(std::uint32_t resource);
    void relax_all();
    void settle_with_bus();
    void find_connected();
    double move_bounds(int round);

    const bool has_bus_;
    const double kappa_;
    std::array<std::vector<std::uint32_t>, kLayers> wrong_;
    std::size_t wrong_count_ = 0;
    std::vector<char> marked_;
    std::vector<std::uint32_t> relaxed_, place_, batch_;
    std::vector<std::uint32_t> changed_;   // with a bus: where flows began and ended
    std::vector<std::uint32_t> connected_; // with a bus: the nodes to be looked at
    std::vector<char> seen_;
    std::vector<double> received_; // with a bus: what each node is taken to receive
};

} // namespace rankwise::sim
