#pragma once

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

// Starts rankwise-link over these nodes and waits until it is ready; returns its process id.
// `restricted`: we have capabilities only within our user namespace, which it must be given.
// Throws Error with its exit code; its own words are on stderr then.
pid_t start_link(const std::filesystem::path &program, const std::filesystem::path &network,
                 const std::string &control_socket, const std::vector<NodeProcess> &nodes,
                 bool restricted);

} // namespace rankwise
