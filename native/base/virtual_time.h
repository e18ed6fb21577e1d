// Time as the emulator counts it.
#pragma once
#include <cstdint>

namespace rankwise
{

/// Nanoseconds of CLOCK_MONOTONIC, or since the start of a test: the emulator only compares and
/// adds.
using Time = std::int64_t;

} // namespace rankwise
