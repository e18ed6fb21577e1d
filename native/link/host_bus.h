// The effect: a host that cannot send and receive at full rate at the same time.
#pragma once
#include "base/virtual_time.h"
#include <cstdint>

namespace rankwise
{

/// A token bucket that both directions of a NIC share. What is received takes its tokens
/// without waiting, so receiving comes first; sending waits until the bucket is not in debt.
class HostBus
{
  public:
    /// `rate`: of both directions together.
    explicit HostBus(double rate_bits_per_second);

    void take(Time now, std::int64_t bytes);
    /// How long until something may be sent; 0: now.
    Time wait(Time now);

  private:
    /// A dozen full packets: enough to ride out gaps, little enough that a burst feels the limit.
    static constexpr double depth_bytes = 18'000;

    static constexpr double longest_wait = 1e18; // of 64 bits of nanoseconds

    void refill(Time now);

    double bytes_per_nanosecond_;
    double tokens_ = depth_bytes;
    Time filled_ = 0;
};

} // namespace rankwise
