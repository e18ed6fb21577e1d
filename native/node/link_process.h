#pragma once

#include "base/descriptor.h"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace rankwise
{

struct NodeProcess {
    std::string name;
    pid_t agent;
};

struct LinkProcess {
    pid_t pid = -1;
    Descriptor output;                 // where it says why it ends
    std::vector<std::string> warnings; // that it said before it was ready
};

// Starts rankwise-link over these nodes and waits until it is ready.
// `restricted`: we have capabilities only within our user namespace, which it must be given.
// Throws Error with its exit code; its own words are on stderr then.
LinkProcess start_link(const std::filesystem::path &program, const std::filesystem::path &network,
                       const std::string &control_socket, const std::vector<NodeProcess> &nodes,
                       bool restricted);

} // namespace rankwise
