// Random variation that is the same in every run with the same seed.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>

namespace rankwise::sim
{

/// Factors with a log-normal distribution of median 1, drawn by counting (splitmix64), so that what
/// one rank draws does not depend on the others.
class Noise
{
  public:
    Noise() = default;
    Noise(std::uint64_t seed, double spread) : seed_(seed), spread_(spread)
    {
    }
    bool is_silent() const
    {
        return spread_ == 0;
    }
    /// Return the n-th factor of a rank.
    double factor(std::uint32_t rank, std::uint64_t n) const
    {
        const std::uint64_t key = mixed(seed_ ^ mixed(rank + 1ULL)) ^ mixed(n);
        const double radius = std::sqrt(-2 * std::log(unit(mixed(key)))),
                     angle = 2 * std::numbers::pi * unit(mixed(key + 1));
        return std::exp(spread_ * radius * std::cos(angle));
    }

  private:
    static std::uint64_t mixed(std::uint64_t x)
    {
        x += 0x9e3779b97f4a7c15ULL;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
        return x ^ x >> 31;
    }
    static double unit(std::uint64_t bits) // above 0, at most 1
    {
        return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
    }

    std::uint64_t seed_ = 0;
    double spread_ = 0;
};

} // namespace rankwise::sim
