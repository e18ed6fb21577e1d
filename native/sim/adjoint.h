// The derivatives of a run's total time, from its tape.
#pragma once
#include "rate_adjoint.h"
#include "tape.h"
#include <vector>

namespace rankwise::sim
{

/// Goes back over a tape, once, and finds how an instant depends on all parameters.
///
/// A flow that goes at the rates r_0, ..., r_n from the instants t_0, ..., t_n on and ends at t has
/// sent the sum of r_k (t_k+1 - t_k), which is given. So r_n dt = r_0 dt_0 + the sum of
/// (r_k - r_k-1) dt_k - the sum of (t_k+1 - t_k) dr_k, and rates follow capacities by the model's
/// equations.
///
/// The total time may have a kink, and one-sided derivatives only: where several things happen at
/// one instant, and where resources are just full that hold nobody back (three flows over a WAN of
/// rate 3, two of them over an uplink of rate 2). Then a change of rates is put down to the first
/// event, of two equal times that which the engine kept decides, and what is just full is taken to
/// stay so for nothing: the result is one of several derivatives nearby. A one-sided derivative is
/// that of a platform moved a little to that side, where nothing coincides.
class Adjoint
{
  public:
    Adjoint(const Tape &tape, const Platform &platform);
    /// Return the derivatives with respect to all parameters: picoseconds a picosecond for times,
    /// for G picoseconds by picoseconds a byte, for rates picoseconds by bytes a second.
    std::vector<double> of(std::uint32_t instant);

  private:
    void take_back(const FlowChange &change);
    void take_back_instants(std::size_t &left, std::size_t down_to);
    void pass_touched(const FlowChange &change);
    void pass_rates(std::uint32_t flow, Time time);
    void meet_flow(std::uint32_t flow, Time time);
    double bound_of(std::uint32_t resource) const;
    double load_of(std::uint32_t resource) const;
    bool is_full(std::uint32_t resource) const;
    bool has_bus(std::uint32_t resource) const;
    void pass_component();

    const Tape &tape_;
    const Platform &platform_;
    double fastest_ = 0; // the unit of rates
    std::uint32_t nodes_;
    std::vector<double> instants_, parameters_; // adjoints
    std::vector<double> capacities_;
    std::vector<double> rates_; // of each flow, at the time that has been gone back to
    std::vector<double> share_; // of each flow: the adjoint of its end over its last rate
    std::vector<Time> since_;   // of each flow: what its rate did from here on has been passed on
    std::vector<std::vector<std::uint32_t>> at_; // of each resource: its flows
    std::vector<std::uint32_t> place_;           // of each resource, in the component
    Component component_;
};

} // namespace rankwise::sim
