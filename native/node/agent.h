#pragma once

#include "base/descriptor.h"
#include "identity.h"
#include "job.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace rankwise
{

// PID 1 of a node: starts what the remote shell asks for, reaps every process of the node, and ends
// the process group of a command whose remote shell has gone away.
class Agent
{
  public:
    // `listener`: where the remote shell connects. `supervisor`: a pidfd; the agent ends with it.
    Agent(Descriptor listener, Descriptor supervisor, const Owner &owner, NodeNames names);

    // Returns when the supervisor has ended. The kernel ends all processes of the node with this
    // one.
    void run();

  private:
    using Clock = std::chrono::steady_clock;

    struct Job {
        pid_t pid;             // of the command, and its process group's
        Descriptor connection; // closed when the remote shell has gone away
        Clock::time_point kill_at = Clock::time_point::max();
    };

    void accept_one();
    void reap();
    void end_abandoned(Job &job);
    void kill_overdue();
    int milliseconds_to_wait() const;

    Descriptor listener_;
    Descriptor supervisor_;
    Descriptor children_; // a signalfd for SIGCHLD
    Owner owner_;
    NodeNames names_;
    std::vector<Job> jobs_;
};

} // namespace rankwise
