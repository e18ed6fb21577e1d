#include "job.h"

#include "base/error.h"
#include "base/network_file.h"
#include "cores.h"
#include "kernel_settings.h"
#include "nic.h"
#include "request.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace rankwise
{

namespace
{

constexpr int kExitNotFound = 127; // as shells have them
constexpr int kExitCannotRun = 126;

void take_streams(const std::array<Descriptor, 3> &streams)
{
    for (int number = 0; number < 3; ++number)
        if (::dup2(streams[static_cast<std::size_t>(number)].number(), number) < 0)
            throw system_error("cannot take the caller's streams");
}

void ordinary_signals()
{
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int number = 1; number < NSIG; ++number)
        ::signal(number, SIG_DFL);
}

void set_environment(const Request &request, const NodeNames &names)
{
    ::clearenv();
    for (const std::string &variable : request.variables) {
        const std::size_t end = variable.find('=');
        if (end != std::string::npos && end > 0)
            ::setenv(variable.substr(0, end).c_str(), variable.c_str() + end + 1, 1);
    }
    ::setenv("TMPDIR", names.own_folder.c_str(), 1);
    ::setenv("HOSTNAME", names.host.c_str(), 1);
}

// A hard limit above the agent's own needs a right that an ordinary user does not have.
void inherit(const Inherited &caller)
{
    ::umask(caller.umask & 0777);
    for (std::size_t i = 0; i < caller.limits.size(); ++i) {
        const auto kind = static_cast<__rlimit_resource>(i);
        rlimit own{};
        if (::setrlimit(kind, &caller.limits[i]) == 0 || ::getrlimit(kind, &own) != 0)
            continue;
        own.rlim_cur = std::min(caller.limits[i].rlim_cur, own.rlim_max);
        ::setrlimit(kind, &own);
    }
}

int run(Request &request)
{
    if (::chdir(request.folder.c_str()) != 0) {
        if (request.kind == RequestKind::run)
            throw system_error("cannot enter the folder " + request.folder);
        if (::chdir("/") != 0)
            throw system_error("cannot enter any folder");
    }
    std::vector<char *> argv;
    for (std::string &word : request.words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    const int error = errno;
    std::fprintf(stderr, "%s: %s\n", argv[0], std::strerror(error));
    return error == ENOENT ? kExitNotFound : kExitCannotRun;
}

int set_or_tell(const Request &request, bool allowed)
{
    const std::string &key = request.words.front();
    const bool is_mtu = key == kNicMtu;
    const bool is_cores = key == kCores;
    if (!is_mtu && !is_cores && !is_network_setting(key))
        throw input_error("'" + key + "' is not below net.ipv4. or net.core.");
    if (request.words.size() == 1) {
        std::printf("%s\n", (is_mtu     ? read_mtu()
                             : is_cores ? read_cores()
                                        : read_setting(key))
                                .c_str());
        return std::fflush(stdout) == 0 ? 0 : kExitBroken;
    }
    if (!allowed)
        throw host_error("only the owner of the testbed may change settings");
    std::string value = request.words[1];
    for (std::size_t i = 2; i < request.words.size(); ++i)
        value += " " + request.words[i];
    const std::string refusal = is_mtu     ? write_mtu(value)
                                : is_cores ? write_cores(value)
                                           : write_setting(key, value);
    if (!refusal.empty())
        throw host_error(refusal);
    return 0;
}

} // namespace

int serve(int connection, const Caller &caller, const Owner &owner, const NodeNames &names)
{
    try {
        constexpr timeval kPatience{10, 0}; // with a caller that connects and says nothing
        ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
        ReceivedRequest received = receive_request(connection);
        take_streams(received.streams);
        if (received.request.words.empty())
            throw input_error("there is nothing to run");
        if (received.request.kind == RequestKind::setting)
            return set_or_tell(received.request, owner.may_set(caller));
        set_environment(received.request, names);
        ordinary_signals();
        owner.become(caller);
        inherit(received.request.inherited);
        return run(received.request);
    } catch (const Error &error) {
        std::fputs(error.told_by("node " + names.host).c_str(), stderr);
        return error.exit_code() == kExitHost ? kExitCannotRun : error.exit_code();
    }
}

} // namespace rankwise
