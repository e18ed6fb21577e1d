#include "link_process.h"

#include "base/error.h"
#include "capabilities.h"
#include "pipe.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace rankwise
{

namespace
{

constexpr int kReadyMilliseconds = 20000;

[[noreturn]] void become_link(std::vector<std::string> words, int output, bool restricted)
{
    try {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        if (::dup2(output, STDOUT_FILENO) < 0)
            throw system_error("cannot redirect the output of rankwise-link");
        if (restricted) {
            // it goes from node to node and back to where it began, which must be ours for that
            if (::unshare(CLONE_NEWNET) != 0)
                throw system_error("cannot make a network namespace for rankwise-link");
            keep_link_capabilities();
        }
        std::vector<char *> argv;
        for (std::string &word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        ::execv(argv[0], argv.data());
        throw system_error("cannot start " + words[0], "is it installed beside rankwise-nodes?");
    } catch (const Error &error) {
        std::fputs(error.told_by("rankwise-nodes").c_str(), stderr);
        ::_exit(error.exit_code());
    }
}

// What it said before `ready`, a line each; nothing when it ended, or said nothing for too long.
std::optional<std::vector<std::string>> read_until_ready(int output)
{
    std::vector<std::string> lines;
    std::string line;
    for (pollfd watched{output, POLLIN, 0}; ::poll(&watched, 1, kReadyMilliseconds) > 0;) {
        char one = 0; // no more: what comes after `ready` is for later
        if (::read(output, &one, 1) <= 0)
            return std::nullopt;
        if (one != '\n') {
            line += one;
            continue;
        }
        if (line == "ready")
            return lines;
        lines.push_back(std::move(line));
        line.clear();
    }
    return std::nullopt;
}

} // namespace

LinkProcess start_link(const std::filesystem::path &program, const std::filesystem::path &network,
                       const std::string &control_socket, const std::vector<NodeProcess> &nodes,
                       bool restricted)
{
    std::vector<std::string> words{program, network, "--control", control_socket};
    for (const NodeProcess &node : nodes) {
        words.emplace_back("--namespace");
        words.push_back(node.name + "=/proc/" + std::to_string(node.agent) + "/ns/net");
    }
    Pipe output = make_pipe();
    const pid_t child = ::fork();
    if (child < 0)
        throw system_error("cannot start another process");
    if (child == 0)
        become_link(std::move(words), output.write_end.number(), restricted);
    output.write_end.close();
    if (auto warnings = read_until_ready(output.read_end.number()))
        return {child, std::move(output.read_end), std::move(*warnings)};
    ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    throw Error(WIFEXITED(status) ? WEXITSTATUS(status) : kExitHost,
                "the link emulator did not become ready");
}

} // namespace rankwise
