#pragma once

#include "base/descriptor.h"
#include "base/network_file.h"
#include "folder.h"
#include "identity.h"
#include "link_process.h"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace rankwise
{

struct Programs {
    std::filesystem::path link;
    std::filesystem::path shell;
};

// Holds a testbed together: all of its parts run, or none.
class Supervisor
{
  public:
    // `alone`: in a user namespace of its own.
    Supervisor(const std::filesystem::path &network, const std::filesystem::path &folder,
               Programs programs, bool alone);
    ~Supervisor(); // ends all that runs
    Supervisor(const Supervisor &) = delete;
    Supervisor &operator=(const Supervisor &) = delete;

    // Starts the agents and the link emulator; when it returns, the network works. Throws Error.
    void start();

    // Waits for SIGTERM, SIGINT or SIGHUP (returns 0), or for any part to end (returns 1).
    int watch();

  private:
    Descriptor start_agent(const NodeSettings &node);
    [[noreturn]] void become_agent(const NodeSettings &node, Descriptor listener, Descriptor told);
    std::string ended_part();
    void end_all();

    std::filesystem::path network_;
    std::vector<NodeSettings> nodes_;
    Folder folder_;
    Programs programs_;
    bool alone_;
    Owner owner_;
    Descriptor own_process_; // a pidfd, by which agents see our end
    std::vector<NodeProcess> agents_;
    LinkProcess link_;
};

} // namespace rankwise
