// The command line.
#pragma once
#include "derivatives.h"
#include "readers/readers.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankwise::sim
{

extern const char *const kUsage;
extern const char *const kManual;

struct JobOption {
    std::string file;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> nodes; // from and to; empty: all
};

struct Options {
    bool help = false, version = false;
    std::string platform;
    std::vector<JobOption> jobs;
    std::string model; // instead of the platform's
    std::string trace; // the timeline's file
    bool critical_path = false;
    std::optional<Side> derivatives;
    std::optional<std::int64_t> packet_bytes;
    std::optional<double> tolerance;
    std::uint32_t seeds = 0;
    double noise = 0;
    std::uint64_t memory_bytes = 0; // 0: what there is
    Algorithms algorithms;
};

/// Read the command line. Throws Error (exit code 2).
Options read_options(const std::vector<std::string> &words);

} // namespace rankwise::sim
