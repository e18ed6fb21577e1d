#include "agent.h"

#include "base/error.h"
#include "request.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace rankwise
{

namespace
{

constexpr auto kGrace = std::chrono::seconds(2); // between SIGTERM and SIGKILL
constexpr int kExitUnreachable = 255;

Descriptor watch_children()
{
    sigset_t wanted;
    ::sigemptyset(&wanted);
    ::sigaddset(&wanted, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
    return Descriptor(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

int exit_code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_readable(const pollfd &one)
{
    return (one.revents & (POLLIN | POLLERR | POLLHUP)) != 0;
}

} // namespace

Agent::Agent(Descriptor listener, Descriptor supervisor, const Owner &owner, NodeNames names)
    : listener_(std::move(listener)), supervisor_(std::move(supervisor)),
      children_(watch_children()), owner_(owner), names_(std::move(names))
{
    if (!children_.is_open())
        throw system_error("cannot watch the processes of node " + names_.host);
}

void Agent::run()
{
    constexpr std::size_t kFirstJob = 3;
    for (;;) {
        std::vector<pollfd> watched{{supervisor_.number(), POLLIN, 0},
                                    {children_.number(), POLLIN, 0},
                                    {listener_.number(), POLLIN, 0}};
        for (const Job &job : jobs_) // one that is closed has number -1, which poll passes over
            watched.push_back({job.connection.number(), POLLRDHUP, 0});
        ::poll(watched.data(), watched.size(), milliseconds_to_wait());
        if (is_readable(watched[0]))
            return;
        for (std::size_t i = kFirstJob; i < watched.size(); ++i)
            if (watched[i].revents != 0)
                end_abandoned(jobs_[i - kFirstJob]);
        if (is_readable(watched[1]))
            reap();
        kill_overdue();
        if (is_readable(watched[2]))
            accept_one();
    }
}

void Agent::accept_one()
{
    Descriptor connection(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.is_open())
        return;
    const std::optional<Caller> caller = caller_of(connection.number());
    if (!caller || !owner_.may_run(*caller)) { // before anything of theirs is read
        send_exit_code(connection.number(), kCallerRefused);
        return;
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::setsid(); // a process group of its own, by which it is ended
        int code = kExitUnreachable;
        try {
            code = serve(connection.number(), *caller, owner_, names_);
        } catch (const std::exception &) {
            // the caller is told by the code
        }
        ::_exit(code);
    }
    if (child < 0)
        send_exit_code(connection.number(), kExitUnreachable);
    else
        jobs_.push_back({child, std::move(connection)});
}

void Agent::reap()
{
    signalfd_siginfo told{};
    while (::read(children_.number(), &told, sizeof told) > 0) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        const auto job = std::ranges::find(jobs_, pid, &Job::pid);
        if (job == jobs_.end() || !job->connection.is_open())
            continue; // an orphan of a job's, or a job whose group is being ended
        send_exit_code(job->connection.number(), exit_code_of(status));
        jobs_.erase(job);
    }
}

void Agent::end_abandoned(Job &job)
{
    job.connection.close();
    job.kill_at = Clock::now() + kGrace;
    ::kill(-job.pid, SIGTERM);
    ::kill(-job.pid, SIGCONT); // one that is stopped could not end
}

void Agent::kill_overdue()
{
    std::erase_if(jobs_, [](const Job &job) {
        if (job.connection.is_open())
            return false;
        if (::kill(-job.pid, 0) != 0)
            return true; // all of the group have ended
        if (Clock::now() < job.kill_at)
            return false;
        ::kill(-job.pid, SIGKILL);
        return true;
    });
}

int Agent::milliseconds_to_wait() const
{
    const bool ending = std::ranges::any_of(
        jobs_, [](const Job &job) { return job.kill_at != Clock::time_point::max(); });
    return ending ? 50 : -1;
}

} // namespace rankwise
