#pragma once

#include "identity.h"

#include <string>

namespace rankwise
{

// What a command on a node finds in its environment beside what the caller gave.
struct NodeNames {
    std::string host;
    std::string own_folder; // its TMPDIR: session folders of MPIs keep apart by it
};

// Receives one request over the connection and does it: executes the command in place of this
// process, or sets what was asked and returns. Returns the exit code; never throws.
int serve(int connection, const Caller &caller, const Owner &owner, const NodeNames &names);

} // namespace rankwise
