#include "node.h"

#include "base/error.h"
#include "kernel_settings.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace rankwise
{

namespace
{

constexpr const char *kContainerRemedy =
    "in a container: run it privileged, or with its /proc and /sys unmasked";

void mount_own(const char *type, const char *where, unsigned long flags, const char *options)
{
    if (::mount(type, where, type, flags, options) != 0)
        throw system_error(std::string("cannot mount a node's own ") + where, kContainerRemedy);
}

void mount_all(const std::string &hosts_file)
{
    constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV;
    // what the host mounts later (automounter) is to be seen here, but not the reverse
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
        throw system_error("cannot part a node's mounts from the host's", kContainerRemedy);
    mount_own("proc", "/proc", kPlain | MS_NOEXEC, nullptr);
    mount_own("sysfs", "/sys", kPlain | MS_NOEXEC, nullptr);
    mount_own("tmpfs", "/dev/shm", kPlain, "mode=1777");
    if (::mount(hosts_file.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0)
        throw system_error("cannot give a node its own /etc/hosts", kContainerRemedy);
}

} // namespace

std::vector<std::string> become_node(const NodeSettings &node, const std::string &hosts_file)
{
    ::prctl(PR_SET_NAME, ("node " + node.name).c_str()); // what ps shows
    if (::unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS) != 0)
        throw system_error(
            "cannot make the namespaces of node " + node.name,
            "sysctl user.max_net_namespaces user.max_mnt_namespaces: are they too few?");
    if (::sethostname(node.name.data(), node.name.size()) != 0)
        throw system_error("cannot name node " + node.name);
    mount_all(hosts_file);
    // Where the kernel refuses these two, all else is as it is: neighbours' and routers' chatter
    // would be counted on the links, and `ping` would need a capability.
    write_setting("net.ipv6.conf.default.disable_ipv6", "1");
    const std::string group = std::to_string(::getegid());
    write_setting("net.ipv4.ping_group_range", group + " " + group);
    std::vector<std::string> warnings;
    for (const KernelSetting &setting : node.kernel) {
        const std::string refusal = write_setting(setting.key, setting.value);
        if (!refusal.empty())
            warnings.push_back("node " + node.name + ": " + refusal);
    }
    return warnings;
}

} // namespace rankwise
