#pragma once

#include <string>

namespace rankwise
{

// A key of its own beside sysctl's names: the cores of this host that the node's processes may run
// on.
inline constexpr const char *kCores = "cores";

// Their numbers with blanks between them: those of the agent, which all that it starts inherits.
std::string read_cores();

// Sets them, for what is started from now on. Returns "" or why not, with what is in force.
std::string write_cores(const std::string &numbers);

} // namespace rankwise
