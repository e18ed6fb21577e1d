// The nodes' NICs as the network's description asks for them.
#pragma once
#include "base/network_file.h"
#include "tap.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankwise
{

/// A node's NIC, and whether it is read at present.
struct Nic {
    Tap tap;
    std::int64_t largest_wire_bytes; // of what the node may hand over at once
    bool waits;                      // reads only while its out link has room
    bool paused;                     // and now it has none
};

/// `namespaces`: of each node, by its name.
std::vector<Nic> make_nics(const Network &network,
                           const std::map<std::string, std::string> &namespaces);

} // namespace rankwise
