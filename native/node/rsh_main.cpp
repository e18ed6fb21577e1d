// The remote shell of an emulated testbed: called like ssh, it has the command run by the node's
// agent.

#include "base/descriptor.h"
#include "base/error.h"
#include "base/network_file.h"
#include "base/version.h"
#include "folder.h"
#include "request.h"
#include "shell_words.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace
{

using namespace rankwise;

constexpr int kExitUnreachable = 255;            // as ssh has it
constexpr const char *kMark = "RANKWISE_LAUNCH"; // by which a launch's processes are found
constexpr const char *kPassedVariable = "RANKWISE_PASSED";

constexpr const char *kHelp =
    R"(rsh - run commands on the nodes of a running emulated testbed

DIR/rsh [ssh-options] [user@]NODE COMMAND...   in a shell, in $HOME, with what a login sets and the variables
                                               that $RANKWISE_PASSED names (NAME,NAME...)
DIR/rsh -e NODE ARGV...                        exactly this, in this folder, with this environment
DIR/rsh -s NODE KEY [VALUE...]                 set or print a kernel setting of the node (sysctl),
                                               or of its NIC: mtu; or its cores of this host
DIR/rsh --help | --version

DIR is the folder of the testbed; the nodes are those whose sockets are in DIR/sockets. Standard
input, output and error are the caller's own. The exit code is the command's, 128 + N if signal N ended
it, 255 if the node cannot be reached. When this program ends, the command's process group is ended.
)";

// The folder that this program was called in, which is not where a link leads to.
std::filesystem::path own_folder()
{
    const auto *name = reinterpret_cast<const char *>(::getauxval(AT_EXECFN));
    return std::filesystem::absolute(name != nullptr ? name : "rsh").parent_path();
}

std::string current_folder()
{
    std::error_code error;
    const auto folder = std::filesystem::current_path(error);
    return error ? "/" : folder.string();
}

std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::set<std::string> passed_names()
{
    std::set<std::string> names{"HOME", "PATH", "USER", "LOGNAME", "SHELL", kMark, kPassedVariable};
    std::istringstream listed(variable(kPassedVariable));
    for (std::string name; std::getline(listed, name, ',');)
        names.insert(name);
    return names;
}

std::vector<std::string> environment_for(RequestKind kind)
{
    const std::set<std::string> passed = passed_names();
    std::vector<std::string> variables;
    for (char **next = environ; *next != nullptr; ++next) {
        const std::string one(*next);
        if (kind == RequestKind::run || passed.contains(one.substr(0, one.find('='))))
            variables.push_back(one);
    }
    return variables;
}

Descriptor connect_to(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        return Descriptor();
    }
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto *generic = reinterpret_cast<const sockaddr *>(&address);
    while (socket.is_open() && ::connect(socket.number(), generic, sizeof address) != 0)
        if (errno != EINTR)
            return Descriptor();
    return socket;
}

int unreachable(const std::string &node, const std::string &why)
{
    std::fprintf(stderr, "rsh: cannot reach node %s: %s\n", node.c_str(), why.c_str());
    return kExitUnreachable;
}

int run(const ShellCommand &command)
{
    if (!is_host_name(command.host))
        return unreachable(command.host, "this is not a host name");
    const Descriptor socket = connect_to(agent_socket(own_folder(), command.host));
    if (!socket.is_open())
        return unreachable(command.host, std::strerror(errno));
    const Descriptor nothing(command.without_input ? ::open("/dev/null", O_RDONLY | O_CLOEXEC)
                                                   : -1);
    const std::array<int, 3> streams{nothing.is_open() ? nothing.number() : 0, 1, 2};
    const std::string home = variable("HOME");
    const Request request{command.kind,
                          command.kind == RequestKind::run ? current_folder()
                          : home.empty()                   ? "/"
                                                           : home,
                          command.words, environment_for(command.kind), own_inherited()};
    const bool sent = send_request(socket.number(), request, streams);
    const int send_error = errno;
    const int code = receive_exit_code(socket.number()); // a refusal may come before all is sent
    if (code == kCallerRefused)
        return unreachable(command.host,
                           "user " + std::to_string(::geteuid()) + " may not run anything there");
    if (!sent)
        return unreachable(command.host, std::strerror(send_error));
    return code >= 0 ? code : unreachable(command.host, "its agent ended before the command did");
}

} // namespace

int main(int count, char **arguments)
{
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (words.size() == 1 && words[0] == "--help") {
        std::fputs(kHelp, stdout);
        return 0;
    }
    if (words.size() == 1 && words[0] == "--version") {
        std::puts("rankwise-rsh " RANKWISE_VERSION);
        return 0;
    }
    const auto command = parse_shell_words(words);
    if (!command) {
        std::fputs(kHelp, stderr);
        return kExitUnreachable;
    }
    try {
        return run(*command);
    } catch (const std::exception &error) {
        return unreachable(command->host, error.what());
    }
}
