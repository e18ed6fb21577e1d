#pragma once

#include <string>

namespace rankwise
{

// What the kernel has for it now; "" if it does not know the key.
std::string read_setting(const std::string &key);

// Sets it in the network namespace of this process. Returns "" or why not, with what is in force.
std::string write_setting(const std::string &key, const std::string &value);

} // namespace rankwise
