#include "user_namespace.h"

#include "base/descriptor.h"
#include "base/error.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace rankwise
{

namespace
{

std::string first_word_of(const std::string &path)
{
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

std::string remedy_for(int error)
{
    const std::string run_as_root = ", or run it as root";
    if (first_word_of("/proc/sys/user/max_user_namespaces") == "0" || error == ENOSPC)
        return "sysctl -w user.max_user_namespaces=10000" + run_as_root;
    if (first_word_of("/proc/sys/kernel/unprivileged_userns_clone") == "0")
        return "sysctl -w kernel.unprivileged_userns_clone=1" + run_as_root;
    if (first_word_of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
        return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" + run_as_root;
    if (error == EINVAL)
        return "a kernel with CONFIG_USER_NS" + run_as_root;
    return "in a container: allow user namespaces (seccomp, AppArmor), or run it as root outside";
}

void write_map(const std::string &path, const std::string &text)
{
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.is_open() ||
        ::write(file.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw system_error("cannot write " + path, remedy_for(errno));
}

std::string to_itself(unsigned id)
{
    return std::to_string(id) + " " + std::to_string(id) + " 1";
}

} // namespace

void enter_user_namespace()
{
    const std::string users = to_itself(::geteuid());
    const std::string groups = to_itself(::getegid());
    if (::unshare(CLONE_NEWUSER) != 0)
        throw system_error("cannot make a user namespace, which emulated nodes need without root",
                           remedy_for(errno));
    write_map("/proc/self/setgroups", "deny"); // the kernel asks this of ordinary users
    write_map("/proc/self/uid_map", users);
    write_map("/proc/self/gid_map", groups);
}

} // namespace rankwise
