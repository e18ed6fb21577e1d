// The command line of rankwise-relay.
#pragma once
#include "tls.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankwise::relay
{

extern const char *const kHelp;

struct Options {
    enum class Mode { help, version, run };
    Mode mode = Mode::help;
    std::vector<std::string> sites;             // names, in the order of the job
    std::uint32_t site = 0;                     // which of them is ours
    std::optional<std::uint16_t> port;          // 0: any
    std::map<std::uint32_t, std::string> peers; // HOST:PORT of those that we call, by site
    Key key{};                                  // of the relays
    std::string job_key;                        // of the processes
    std::uint32_t streams = 4;
    std::optional<std::uint64_t> window; // or else it follows the link, up to that
    std::uint64_t window_max = 32 << 20;
    bool pacing = true;
    double patience_seconds = 60;
    double spin_seconds = 50e-6; // see Poller
    bool until_eof = false;
};

/// Throws Error of the input.
Options parse_options(int count, char **words);

} // namespace rankwise::relay
