// The effect: the delay differs from packet to packet.
#pragma once
#include "base/network_file.h"
#include "base/virtual_time.h"
#include <cstdint>
#include <random>

namespace rankwise
{

/// What a packet is delayed besides the link's delay: uniform within +-scale, normal with the
/// standard deviation scale (both may be negative), or exponential with the mean scale.
class Jitter
{
  public:
    Jitter(Time scale, JitterDistribution distribution, std::uint64_t seed);

    bool active() const
    {
        return scale_ > 0;
    }
    Time draw();

  private:
    double scale_;
    JitterDistribution distribution_;
    std::mt19937_64 random_;
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
    std::normal_distribution<double> normal_;
    std::exponential_distribution<double> exponential_;
};

} // namespace rankwise
