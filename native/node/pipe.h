#pragma once

#include "base/descriptor.h"

#include <cstddef>
#include <string>

namespace rankwise
{

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

// Both ends are closed on exec.
Pipe make_pipe();

// Writes all of it; false if the other side is gone.
bool write_all(int descriptor, const void *data, std::size_t size);

// Reads to the end of the stream.
std::string read_all(int descriptor);

} // namespace rankwise
