#pragma once

#include <string>

namespace rankwise
{

// Whether a key may be set in a node: below net.ipv4. or net.core., the node's own.
bool is_network_setting(const std::string &key);

// What the kernel has for it now; "" if it does not know the key.
std::string read_setting(const std::string &key);

// Sets it in the network namespace of this process. Returns "" or why not, with what is in force.
std::string write_setting(const std::string &key, const std::string &value);

} // namespace rankwise
