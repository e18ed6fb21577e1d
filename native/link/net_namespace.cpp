#include "net_namespace.h"

#include "base/error.h"
#include <exception>
#include <fcntl.h>
#include <sched.h>

namespace rankwise
{

NetNamespace::NetNamespace(const std::string &path)
    : home_(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC))
{
    if (home_.number() < 0)
        throw system_error("opening /proc/self/ns/net");
    const Descriptor there(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (there.number() < 0)
        throw system_error("opening the network namespace " + path);
    if (setns(there.number(), CLONE_NEWNET) != 0)
        throw system_error("entering the network namespace " + path,
                           "Be root in the user namespace that owns it (CAP_SYS_ADMIN)");
}

NetNamespace::~NetNamespace()
{
    // To go on in the wrong namespace would be worse than to end.
    if (setns(home_.number(), CLONE_NEWNET) != 0)
        std::terminate();
}

} // namespace rankwise
