#pragma once

#include "base/network_file.h"

#include <string>
#include <vector>

namespace rankwise
{

// Makes this process a host of its own: network, host name, mounts, System V objects. It must be
// PID 1 of a PID namespace, with the capabilities to mount. Own /proc, /sys, /dev/shm and
// /etc/hosts. Returns the settings that the kernel refused, one sentence each. Throws Error.
std::vector<std::string> become_node(const NodeSettings &node, const std::string &hosts_file);

} // namespace rankwise
