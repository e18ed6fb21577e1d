#include "capabilities.h"

#include "base/error.h"

#include <array>
#include <cstdint>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rankwise
{

namespace
{

// SYS_PTRACE: reading /proc/PID/ns of agents, which hold more capabilities than rankwise-link.
constexpr std::array kLinkNeeds{CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_SYS_PTRACE};

struct Sets {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> data{};
};

Sets own_sets()
{
    Sets sets;
    if (::syscall(SYS_capget, &sets.header, sets.data.data()) != 0)
        throw system_error("cannot read the capabilities of this process");
    return sets;
}

} // namespace

bool may_administer()
{
    const std::uint32_t effective = own_sets().data[0].effective;
    return (effective >> CAP_SYS_ADMIN & 1) != 0 && (effective >> CAP_NET_ADMIN & 1) != 0;
}

void keep_link_capabilities()
{
    Sets sets = own_sets();
    for (const int capability : kLinkNeeds)
        sets.data[0].inheritable |= 1U << capability;
    if (::syscall(SYS_capset, &sets.header, sets.data.data()) != 0)
        throw system_error("cannot make capabilities inheritable");
    for (const int capability : kLinkNeeds)
        if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0)
            throw system_error("cannot make capabilities ambient");
}

} // namespace rankwise
