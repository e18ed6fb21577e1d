#include "kernel_settings.h"

#include "pipe.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace rankwise
{

namespace
{

std::string path_of(std::string key)
{
    std::ranges::replace(key, '.', '/');
    return "/proc/sys/" + key;
}

} // namespace

std::string read_setting(const std::string &key)
{
    const Descriptor file(::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open())
        return "";
    std::string text = read_all(file.number());
    std::ranges::replace(text, '\t', ' ');
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    return text;
}

std::string write_setting(const std::string &key, const std::string &value)
{
    const Descriptor file(::open(path_of(key).c_str(), O_WRONLY | O_CLOEXEC));
    // one write: the kernel takes each for a value of its own
    if (file.is_open() &&
        ::write(file.number(), value.data(), value.size()) == static_cast<ssize_t>(value.size()))
        return "";
    const std::string reason = std::strerror(errno);
    const std::string in_force = read_setting(key);
    return "cannot set " + key + " to '" + value + "': " + reason +
           (in_force.empty() ? "" : "; in force: '" + in_force + "'");
}

} // namespace rankwise
