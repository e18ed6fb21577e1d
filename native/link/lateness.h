// How well the emulator keeps its times.
#pragma once
#include "base/virtual_time.h"
#include <array>
#include <cstddef>
#include <cstdint>

namespace rankwise
{

/// A histogram of delivered minus due, with eight buckets an octave (so a quantile is right within
/// 13 %).
class Lateness
{
  public:
    static constexpr std::size_t buckets = std::size_t{8} * 34;

    void add(Time late);
    /// The upper bound of the bucket in which that share of all is reached; 0 if there is none.
    Time quantile(double share) const;
    Time max() const;
    std::uint64_t count(std::size_t bucket) const;
    static Time upper_bound(std::size_t bucket);

  private:
    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t total_ = 0;
    Time max_ = 0;
};

} // namespace rankwise
