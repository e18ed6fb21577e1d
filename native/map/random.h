// Random numbers: xorshift* (Vigna 2016), a few cycles each, the same on every machine.
#pragma once
#include <cstdint>

namespace rankwise::map
{

class Random
{
  public:
    explicit Random(std::uint64_t seed) : state_((seed + 1) * 0x9E3779B97F4A7C15u)
    {
    }

    std::uint32_t next()
    {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1Du) >> 32);
    }

    /// Return a number from 0 on, less than `count`, which is at least 1.
    std::int32_t below(std::int32_t count)
    {
        return static_cast<std::int32_t>(
            (static_cast<std::uint64_t>(next()) * static_cast<std::uint64_t>(count)) >> 32);
    }

  private:
    std::uint64_t state_;
};

} // namespace rankwise::map
