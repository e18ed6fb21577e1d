// Time as the simulator counts it: whole picoseconds, so that equal instants stay equal.
#pragma once
#include <cmath>
#include <cstdint>

namespace rankwise::sim
{

using Time = std::int64_t;

inline constexpr Time kNever = INT64_MAX;
inline constexpr double kPicosecondsPerSecond = 1e12;
/// Nothing that is read may last longer: some 11 days. Sums of millions of these would overflow,
/// sums of what real programs do would not; the engine checks what it adds up.
inline constexpr double kLongestSeconds = 1e6;
/// What the engine adds up must stay below this (some 90 days).
inline constexpr Time kEndOfTime = Time{1} << 62;

inline Time from_seconds(double seconds)
{
    return static_cast<Time>(std::llround(seconds * kPicosecondsPerSecond));
}

/// Round up, as ceil does, which is a call on most machines.
inline double whole_picoseconds(double picoseconds)
{
    if (!(picoseconds < static_cast<double>(kEndOfTime)))
        return picoseconds;
    const auto whole = static_cast<double>(static_cast<Time>(picoseconds));
    return whole + (whole < picoseconds ? 1 : 0);
}

/// Throw, for the simulated time is longer than can be counted.
[[noreturn]] void fail_too_long();

inline Time after(Time time, double picoseconds)
{
    if (!(picoseconds < static_cast<double>(kEndOfTime - time))) [[unlikely]]
        fail_too_long();
    return time + static_cast<Time>(picoseconds);
}
inline Time after(Time time, Time picoseconds)
{
    if (picoseconds >= kEndOfTime - time) [[unlikely]]
        fail_too_long();
    return time + picoseconds;
}

inline double seconds(Time time)
{
    return static_cast<double>(time) / kPicosecondsPerSecond;
}

} // namespace rankwise::sim
