// What the datagrams of the probe contain. Client and server may be hosts of different kinds: fixed
// sizes, and each side reads only the times that it wrote itself, or the span between two of the
// other's.
#pragma once
#include "clock.h"

#include <cstdint>

namespace rankwise::probe
{

struct Datagram {
    enum Kind : std::uint32_t { echo = 0x52570001, count = 0x52570002 };

    Kind kind = echo;
    std::uint32_t number = 0;
    Nanoseconds sent = 0;
    /// From arrival at the server to its answer: not a part of the path.
    Nanoseconds held = 0;
    std::uint8_t filling[40] = {};
};

static_assert(sizeof(Datagram) == 64);

} // namespace rankwise::probe
