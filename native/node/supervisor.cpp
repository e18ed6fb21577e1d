#include "supervisor.h"

#include "agent.h"
#include "base/error.h"
#include "node.h"
#include "pipe.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace rankwise
{

namespace
{

constexpr auto kLinkGrace = std::chrono::seconds(1); // between SIGTERM and SIGKILL

sigset_t watched_signals()
{
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
        ::sigaddset(&signals, number);
    return signals;
}

std::string how_it_ended(int status)
{
    if (WIFEXITED(status))
        return "ended with exit code " + std::to_string(WEXITSTATUS(status));
    const int number = WTERMSIG(status);
    return "was ended by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

// Waits until a child has ended, or for as long as given.
bool has_ended_within(pid_t child, std::chrono::steady_clock::duration patience)
{
    const auto end = std::chrono::steady_clock::now() + patience;
    while (::waitpid(child, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

void kill_and_reap(pid_t child)
{
    ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

// What an agent tells: a warning on a line each, then `ready`, or `failed CODE`, message and
// remedy.
std::vector<std::string> read_report(const std::string &node, int told)
{
    std::istringstream lines(read_all(told));
    std::vector<std::string> warnings;
    for (std::string line; std::getline(lines, line);) {
        if (line == "ready")
            return warnings;
        if (line.starts_with("failed ")) {
            std::string message;
            std::string remedy;
            std::getline(lines, message);
            std::getline(lines, remedy);
            throw Error(std::stoi(line.substr(7)), message, remedy);
        }
        warnings.push_back(line);
    }
    throw host_error("the agent of node " + node + " ended while it was made");
}

// fork, but the child is PID 1 of a new PID namespace. unshare and fork would do for the first
// only: an ordinary user cannot go back to the namespace it came from.
pid_t fork_into_pid_namespace()
{
    return static_cast<pid_t>(
        ::syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

void tell(const Descriptor &told, const std::string &text)
{
    write_all(told.number(), text.data(), text.size());
}

} // namespace

Supervisor::Supervisor(const std::filesystem::path &network, const std::filesystem::path &folder,
                       Programs programs, bool alone)
    : network_(network), nodes_(read_network(network.string()).nodes), folder_(folder, nodes_),
      programs_(std::move(programs)), alone_(alone), owner_(alone),
      own_process_(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)))
{
    if (!own_process_.is_open())
        throw system_error("cannot watch this process", "a kernel of at least 5.3");
    const sigset_t signals = watched_signals();
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

Supervisor::~Supervisor()
{
    end_all();
}

void Supervisor::start()
{
    folder_.prepare(nodes_, programs_.shell);
    std::vector<Descriptor> reports;
    for (const NodeSettings &node : nodes_)
        reports.push_back(start_agent(node));
    std::vector<std::string> warnings;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        for (std::string &line : read_report(nodes_[i].name, reports[i].number()))
            warnings.push_back(std::move(line));
    link_ = start_link(programs_.link, network_, folder_.control_socket(), agents_, alone_);
    for (std::string &line : link_.warnings)
        warnings.push_back("the link emulator: " + line);
    folder_.write_warnings(warnings);
}

// A process that is PID 1 of a new PID namespace. It makes its other namespaces itself, all nodes
// at once.
Descriptor Supervisor::start_agent(const NodeSettings &node)
{
    Descriptor listener = folder_.listen_as(node.name);
    Pipe told = make_pipe();
    const pid_t child = fork_into_pid_namespace();
    if (child == 0)
        become_agent(node, std::move(listener), std::move(told.write_end));
    if (child < 0)
        throw system_error("cannot start the agent of node " + node.name,
                           "are there too many processes (ulimit -u, user.max_pid_namespaces), "
                           "or too little memory?");
    agents_.push_back({node.name, child});
    return std::move(told.read_end);
}

void Supervisor::become_agent(const NodeSettings &node, Descriptor listener, Descriptor told)
{
    try {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // lost if it died before: hence the pidfd as well
        ::dup2(STDERR_FILENO,
               STDOUT_FILENO); // whoever reads our `ready` is not to wait for the nodes
        std::string report;
        for (const std::string &line : become_node(node, folder_.hosts()))
            report += line + "\n";
        Agent agent(std::move(listener), std::move(own_process_), owner_,
                    {node.name, folder_.own_folder_of(node.name)});
        tell(told, report + "ready\n");
        told.close();
        agent.run();
    } catch (const Error &error) {
        tell(told, "failed " + std::to_string(error.exit_code()) + "\n" + error.what() + "\n" +
                       error.remedy() + "\n");
    }
    ::_exit(kExitBroken);
}

int Supervisor::watch()
{
    const sigset_t signals = watched_signals();
    for (;;) {
        const int number = ::sigwaitinfo(&signals, nullptr);
        if (number == SIGCHLD) {
            const std::string reason = ended_part();
            if (!reason.empty()) {
                folder_.write_ended(reason);
                end_all();
                return kExitBroken;
            }
        } else if (number > 0) {
            end_all();
            return 0;
        }
    }
}

// The first part that has ended, and how; "" if it was another child.
std::string Supervisor::ended_part()
{
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid == link_.pid) {
            link_.pid = -1;
            std::string why = read_all(link_.output.number());
            why = why.substr(0, why.find('\n'));
            return "the link emulator " + how_it_ended(status) + (why.empty() ? "" : ": " + why);
        }
        for (auto agent = agents_.begin(); agent != agents_.end(); ++agent)
            if (agent->agent == pid) {
                std::string reason =
                    "the agent of node " + agent->name + " " + how_it_ended(status);
                agents_.erase(agent);
                return reason;
            }
    }
    return "";
}

void Supervisor::end_all()
{
    if (link_.pid > 0)
        ::kill(link_.pid, SIGTERM);
    for (const NodeProcess &node : agents_)
        ::kill(node.agent, SIGKILL); // and with it every process of the node
    for (const NodeProcess &node : agents_)
        kill_and_reap(node.agent);
    agents_.clear();
    if (link_.pid > 0 && !has_ended_within(link_.pid, kLinkGrace))
        kill_and_reap(link_.pid);
    link_.pid = -1;
}

} // namespace rankwise
