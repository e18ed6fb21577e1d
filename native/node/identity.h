#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

namespace rankwise
{

inline constexpr uid_t kNobody = 65534; // as whom MPIs that refuse root are run

struct Caller {
    uid_t uid;
    gid_t gid;
};

// Who is on the other side of a UNIX socket, as the kernel says; nothing if it does not.
std::optional<Caller> caller_of(int socket);

// Whose testbed it is, and so who may run commands on its nodes and as whom.
class Owner
{
  public:
    // `alone`: in a user namespace of its own. No other uid is mapped there, all of them look like
    // nobody, and are refused, root as well. Where the owner is nobody, the mode of the testbed's
    // folder keeps others away.
    explicit Owner(bool alone);

    bool may_run(const Caller &caller) const;
    bool may_set(const Caller &caller) const;

    // Takes the caller's uid and gid, before exec, which then gives the capabilities of any such
    // exec.
    void become(const Caller &caller) const;

  private:
    bool alone_;
    uid_t uid_;
};

} // namespace rankwise
