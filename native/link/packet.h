// A frame under way.
#pragma once
#include "base/virtual_time.h"
#include "frame.h"
#include "path.h"
#include <cstdint>
#include <memory>

namespace rankwise
{

using NodeIndex = std::uint32_t;
constexpr NodeIndex every_node = ~NodeIndex{0};

/// A super-packet's segments follow one another: the first reaches the next link before the last
/// has left this one. So it carries two times, and its links cut it through as a switch does the
/// segments of a burst.
struct Packet {
    Frame frame;
    NodeIndex source;
    NodeIndex destination;
    const Path *path;
    std::size_t hop = 0;
    Time first = 0; // when the first segment is wholly at the entry of link `hop`
    Time last = 0;  // and when the last is

    bool arrived() const
    {
        return hop == path->length();
    }
    Urgency urgency() const
    {
        const bool comes_slowly = !arrived() && last - first >= Path::long_way;
        return comes_slowly ? Urgency::patient : path->urgency(hop);
    }
};
using PacketPointer = std::unique_ptr<Packet>;

} // namespace rankwise
