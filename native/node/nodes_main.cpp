// The nodes of an emulated testbed, and the link emulator between them: all run, or none.

#include "base/error.h"
#include "base/version.h"
#include "capabilities.h"
#include "supervisor.h"
#include "user_namespace.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

namespace
{

using namespace rankwise;

constexpr const char *kHelp =
    R"(rankwise-nodes - bring up the nodes and links of an emulated testbed and hold them together

rankwise-nodes NETWORK --folder DIR [--attached] [--link PROGRAM] [--rsh PROGRAM]

Each `node` of the file NETWORK becomes a host of its own (network, host name, processes, mounts, System V
objects) with an agent as PID 1; `setting NODE KEY VALUE...` sets a sysctl there. rankwise-link connects
them. As an ordinary user everything happens in a user namespace. Prints `ready` when the network works.

  --folder DIR     an existing folder that is closed to other users (as root: to their writing): hosts, rsh (called like ssh), sockets/NODE, link (the control
                   socket), warnings (settings that were refused), and a folder for each node (TMPDIR)
  --attached       end when the parent process does
  --link PROGRAM   rankwise-link; beside this program by default
  --rsh PROGRAM    rankwise-rsh; beside this program by default
  --version        print the version of Rankwise that this belongs to

SIGTERM, SIGINT and SIGHUP end it in good order, exit code 0. When any part ends, all end: the reason is
written to DIR/ended, exit code 1. Exit code 2: bad input, 3: this host lacks something. Nothing outlives it.
)";

struct Arguments {
    std::filesystem::path network;
    std::filesystem::path folder;
    Programs programs;
    bool attached = false;
};

Arguments parse(const std::vector<std::string> &words)
{
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    Arguments arguments{{}, {}, {beside / "rankwise-link", beside / "rankwise-rsh"}, false};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string &word = words[i];
        const bool takes_value = word == "--folder" || word == "--link" || word == "--rsh";
        if (takes_value && i + 1 == words.size())
            throw input_error(word + " needs a value", "rankwise-nodes --help");
        if (word == "--folder")
            arguments.folder = words[++i];
        else if (word == "--link")
            arguments.programs.link = words[++i];
        else if (word == "--rsh")
            arguments.programs.shell = words[++i];
        else if (word == "--attached")
            arguments.attached = true;
        else if (word.starts_with("-") || !arguments.network.empty())
            throw input_error("'" + word + "' is one word too many", "rankwise-nodes --help");
        else
            arguments.network = word;
    }
    if (arguments.network.empty() || arguments.folder.empty())
        throw input_error("NETWORK and --folder are needed", "rankwise-nodes --help");
    return arguments;
}

void check_programs(const Programs &programs)
{
    for (const auto &program : {programs.link, programs.shell})
        if (::access(program.c_str(), X_OK) != 0)
            throw system_error("cannot run " + program.string(),
                               "install rankwise with its programs");
}

void check_tun()
{
    const Descriptor tun(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
    if (tun.is_open())
        return;
    throw system_error("cannot open /dev/net/tun, which gives nodes their NICs",
                       errno == EACCES || errno == EPERM
                           ? "as root: chmod 666 /dev/net/tun"
                           : "as root: modprobe tun; in a container: --device /dev/net/tun");
}

// Until all is ready, a starter that dies takes everything with it, attached or not.
void end_with_parent(pid_t parent)
{
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent)
        throw host_error("who started this has ended");
}

int run(const std::vector<std::string> &words)
{
    const pid_t parent = ::getppid();
    const Arguments arguments = parse(words);
    check_programs(arguments.programs);
    check_tun();
    const bool alone = !may_administer();
    if (alone)
        enter_user_namespace();
    Supervisor supervisor(arguments.network, arguments.folder, arguments.programs, alone);
    end_with_parent(parent);
    supervisor.start();
    if (!arguments.attached)
        ::prctl(PR_SET_PDEATHSIG, 0);
    std::puts("ready");
    std::fflush(stdout);
    return supervisor.watch();
}

} // namespace

int main(int count, char **arguments)
{
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (std::ranges::find(words, "--help") != words.end()) {
        std::fputs(kHelp, stdout);
        return 0;
    }
    if (std::ranges::find(words, "--version") != words.end()) {
        std::puts("rankwise-nodes " RANKWISE_VERSION);
        return 0;
    }
    try {
        return run(words);
    } catch (const Error &error) {
        std::fputs(error.told_by("rankwise-nodes").c_str(), stderr);
        return error.exit_code();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "rankwise-nodes: a bug of ours: %s\n", error.what());
        return kExitBug;
    }
}
