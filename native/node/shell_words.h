#pragma once

#include "request.h"

#include <optional>
#include <string>
#include <vector>

namespace rankwise
{

// What a command line of the remote shell means.
struct ShellCommand {
    std::string host;
    RequestKind kind = RequestKind::run_at_home;
    std::vector<std::string> words; // for run_at_home: /bin/sh -c and the caller's words as one
    bool without_input = false;     // -n
};

// `-e HOST ARGV...`, `-s HOST KEY [VALUE...]`, or what ssh takes: its options are understood and,
// but for -n, have no meaning here. Empty: it makes no sense.
std::optional<ShellCommand> parse_shell_words(const std::vector<std::string> &words);

} // namespace rankwise
