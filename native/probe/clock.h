// Times in nanoseconds.
#pragma once
#include <cstdint>
#include <ctime>

namespace rankwise::probe
{

using Nanoseconds = std::int64_t;

constexpr Nanoseconds kSecond = 1'000'000'000;

inline Nanoseconds read_clock(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * kSecond + time.tv_nsec;
}

/// For spans within this process.
inline Nanoseconds monotonic_now()
{
    return read_clock(CLOCK_MONOTONIC);
}

/// What the kernel stamps received packets with.
inline Nanoseconds stamp_now()
{
    return read_clock(CLOCK_REALTIME);
}

inline Nanoseconds from_seconds(double seconds)
{
    return static_cast<Nanoseconds>(seconds * static_cast<double>(kSecond));
}

inline double to_seconds(Nanoseconds span)
{
    return static_cast<double>(span) / static_cast<double>(kSecond);
}

} // namespace rankwise::probe
