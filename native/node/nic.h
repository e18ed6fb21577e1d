#pragma once

#include <string>

namespace rankwise
{

// A key of its own beside sysctl's names: the MTU of the node's NIC.
inline constexpr const char *kNicMtu = "mtu";

// The NIC's MTU in bytes; "" while there is no NIC, which the link emulator makes.
std::string read_mtu();

// Sets it. Returns "" or why not, with what is in force.
std::string write_mtu(const std::string &bytes);

} // namespace rankwise
