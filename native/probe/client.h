// The side that measures, test after test, and prints what it found.
#pragma once
#include "options.h"

#include <string>

namespace rankwise::probe
{

/// JSON with an object for each test that was asked for. Throws if the host does not answer.
std::string measure(const Options &options);

/// Tell the server to end. Throws if there is none.
void end_server(const Options &options);

} // namespace rankwise::probe
