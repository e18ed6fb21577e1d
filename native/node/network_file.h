#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rankwise
{

struct Setting {
    std::string key;   // as sysctl names it: net.ipv4.tcp_rmem
    std::string value; // words separated by blanks
};

// A host of the testbed, with what the nodes' supervisor needs of it.
struct NodeLine {
    std::string name;
    std::string address; // without the bits of the network
    std::vector<Setting> settings;
};

// Reads the lines `node` and `setting` of a network file; all others are rankwise-link's.
// Throws Failure (exit code 2) with file and line.
std::vector<NodeLine> read_nodes(const std::filesystem::path &network);

// A host name: letters, digits, '-' and '.', not at its ends; at most 63 characters.
bool is_host_name(const std::string &name);

} // namespace rankwise
