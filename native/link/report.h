// The counters as one line of JSON.
#pragma once
#include "lateness.h"
#include "switch.h"
#include <cstdint>
#include <string>

namespace rankwise
{

/// What the emulator itself counts, besides the switch.
struct EmulatorCounters {
    Lateness lateness;
    std::uint64_t malformed_frames = 0;     // that a node sent; dropped
    std::uint64_t undeliverable_frames = 0; // that a node's NIC refused
    double cpu_seconds = 0;
    double wall_seconds = 0;
    bool realtime = false;
    bool deep_idle_avoided = false; // as IdleStates says
};

std::string counters_json(Switch &network, const EmulatorCounters &counters);

} // namespace rankwise
