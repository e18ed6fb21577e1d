// The command line.
#pragma once
#include <cstdint>
#include <string>

namespace rankwise::probe
{

struct Options {
    enum class Mode { help, version, serve, measure, end };

    Mode mode = Mode::help;
    std::string host;
    std::uint16_t port = 7733;
    double limit_seconds = 60.0;
    /// The server goes on behind its caller's back.
    bool background = false;

    int delay_samples = 500;
    double delay_interval_seconds = 0.002;

    double rate_seconds = 2.0;
    /// Slow start is over after this: what comes before does not count.
    double rate_skip_seconds = 1.0;

    int loss_packets = 0;
    double loss_packets_per_second = 20000.0;
};

extern const char *const kHelp;

/// Read the command line. Throws Error (exit code 2).
Options parse_options(int count, char **words);

} // namespace rankwise::probe
