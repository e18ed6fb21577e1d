#include "nic.h"

#include "base/descriptor.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <net/if.h>
#include <optional>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace rankwise
{

namespace
{

constexpr const char *kNicName = "eth0"; // as the link emulator calls it

// By ioctl and not by a file below /sys, which only root of the host may write.
bool ask_nic(unsigned long what, ifreq &request)
{
    std::strcpy(request.ifr_name, kNicName);
    const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    return socket.is_open() && ::ioctl(socket.number(), what, &request) == 0;
}

std::optional<int> whole_number(const std::string &text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

} // namespace

std::string read_mtu()
{
    ifreq request{};
    return ask_nic(SIOCGIFMTU, request) ? std::to_string(request.ifr_mtu) : "";
}

std::string write_mtu(const std::string &bytes)
{
    ifreq request{};
    const std::optional<int> wanted = whole_number(bytes);
    request.ifr_mtu = wanted.value_or(0);
    errno = EINVAL;
    if (wanted && ask_nic(SIOCSIFMTU, request))
        return "";
    const std::string reason = std::strerror(errno);
    return "cannot set " + std::string(kNicMtu) + " to '" + bytes + "': " + reason +
           "; in force: '" + read_mtu() + "'";
}

} // namespace rankwise
