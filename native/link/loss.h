// The effect: packets are lost.
#pragma once
#include <cstdint>
#include <random>

namespace rankwise
{

/// Loses a share of all packets: each by itself, or in bursts (a two-state Markov chain after
/// Gilbert, in whose bad state every packet is lost; the lengths of bursts are geometric).
class Loss
{
  public:
    /// `ratio`: share of packets; `burst`: mean length of a run of lost packets, 1: each packet by
    /// itself.
    Loss(double ratio, double burst, std::uint64_t seed);

    bool active() const
    {
        return enter_ > 0;
    }
    /// Asked once for every packet of the wire, in their order.
    bool next_is_lost();

  private:
    std::mt19937_64 random_;
    std::uniform_real_distribution<double> uniform_;
    double enter_; // from good to bad
    double stay_;  // in bad
    bool bad_ = false;
};

} // namespace rankwise
