#pragma once

#include "base/descriptor.h"

#include <array>
#include <cstdint>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

namespace rankwise
{

enum class RequestKind : std::uint32_t {
    run,         // the words are a command; it starts in `folder`
    run_at_home, // the same, but a folder that cannot be entered is not an error
    setting,     // the words are a key and a value, or a key alone to be told
};

// What a process inherits beside its environment, folder and files.
struct Inherited {
    mode_t umask = 022;
    std::array<rlimit, RLIM_NLIMITS> limits{};
};

// Those of this process.
Inherited own_inherited();

// What the remote shell asks of a node's agent.
struct Request {
    RequestKind kind = RequestKind::run;
    std::string folder;
    std::vector<std::string> words;
    std::vector<std::string> variables; // NAME=VALUE
    Inherited inherited;
};

struct ReceivedRequest {
    Request request;
    std::array<Descriptor, 3> streams; // stdin, stdout, stderr of the caller
};

// Sends it over a connected UNIX stream socket, with these descriptors as stdin, stdout and stderr.
// False if the other side is gone.
bool send_request(int socket, const Request &request, const std::array<int, 3> &streams);

// Throws Error for anything that send_request would not send, and if the sender goes away.
ReceivedRequest receive_request(int socket);

// The answer to a caller who may not run anything here: no exit code is that large.
inline constexpr int kCallerRefused = 256;

// The answer: an exit code as a shell gives it, or kCallerRefused. False if the other side is gone.
bool send_exit_code(int socket, int code);

// -1 if the agent went away without an answer.
int receive_exit_code(int socket);

} // namespace rankwise
