#include "identity.h"

#include "base/error.h"

#include <grp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rankwise
{

std::optional<Caller> caller_of(int socket)
{
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
        return std::nullopt;
    return Caller{credentials.uid, credentials.gid};
}

Owner::Owner(bool alone) : alone_(alone), uid_(::geteuid())
{
}

bool Owner::may_run(const Caller &caller) const
{
    return may_set(caller) || (!alone_ && uid_ == 0 && caller.uid == kNobody);
}

bool Owner::may_set(const Caller &caller) const
{
    return caller.uid == uid_ || (!alone_ && caller.uid == 0);
}

void Owner::become(const Caller &caller) const
{
    if (alone_ || (caller.uid == ::geteuid() && caller.gid == ::getegid()))
        return;
    if (::setgroups(0, nullptr) != 0 || ::setresgid(caller.gid, caller.gid, caller.gid) != 0 ||
        ::setresuid(caller.uid, caller.uid, caller.uid) != 0)
        throw system_error("cannot become user " + std::to_string(caller.uid));
}

} // namespace rankwise
