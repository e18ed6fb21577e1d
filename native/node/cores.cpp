#include "cores.h"

#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sstream>
#include <sys/types.h>

namespace rankwise
{

namespace
{

constexpr pid_t kAgent = 1; // of the node's PID namespace

std::string refusal(const std::string &numbers, const char *why)
{
    return "cannot run on the cores '" + numbers + "': " + why + "; in force: " + read_cores();
}

} // namespace

std::string read_cores()
{
    cpu_set_t cores;
    std::string numbers;
    if (::sched_getaffinity(kAgent, sizeof cores, &cores) != 0)
        return numbers;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &cores))
            numbers += (numbers.empty() ? "" : " ") + std::to_string(core);
    return numbers;
}

std::string write_cores(const std::string &numbers)
{
    cpu_set_t cores;
    CPU_ZERO(&cores);
    std::istringstream words(numbers);
    for (int core = 0; words >> core;) {
        if (core < 0 || core >= CPU_SETSIZE)
            return refusal(numbers, "there is no such core");
        CPU_SET(core, &cores);
    }
    if (!words.eof())
        return refusal(numbers, "these are not numbers");
    if (::sched_setaffinity(kAgent, sizeof cores, &cores) != 0)
        return refusal(numbers, std::strerror(errno));
    return "";
}

} // namespace rankwise
