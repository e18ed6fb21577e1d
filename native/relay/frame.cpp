#include "frame.h"

#include "base/byte_order.h"
#include <cstring>
#include <string>

namespace rankwise::relay
{

namespace
{
constexpr std::uint32_t kMagic = 0x72776c79; // "rwly"
constexpr std::uint32_t kMostStreams = 64;
constexpr std::uint64_t kMostWindow = 1u << 30;
constexpr std::uint32_t kMostWindowUnits = 0xffffff;
} // namespace

void write_frame(const Frame &frame, std::uint8_t *to)
{
    put32(to, static_cast<std::uint32_t>(frame.kind) << 24 | (frame.window & kMostWindowUnits));
    put32(to + 4, frame.channel);
    put32(to + 8, frame.length);
    put32(to + 12, 0);
    put64(to + 16, frame.offset);
    put64(to + 24, frame.acknowledged);
}

Frame read_frame(const std::uint8_t *from)
{
    const std::uint32_t kind = get32(from) >> 24;
    if (kind < static_cast<std::uint32_t>(FrameKind::open) ||
        kind > static_cast<std::uint32_t>(FrameKind::ping) || get32(from + 12) != 0)
        throw ProtocolError("it sent a frame of no known kind");
    Frame frame;
    frame.kind = static_cast<FrameKind>(kind);
    frame.window = get32(from) & kMostWindowUnits;
    frame.channel = get32(from + 4);
    frame.length = get32(from + 8);
    frame.offset = get64(from + 16);
    frame.acknowledged = get64(from + 24);
    const bool data = frame.kind == FrameKind::data;
    if (frame.length > kMostPayload || data != (frame.length > 0))
        throw ProtocolError("it sent a frame of a wrong length");
    if ((frame.channel == 0) != (frame.kind == FrameKind::ping))
        throw ProtocolError("it sent a frame of no connection");
    if (frame.offset > UINT64_MAX / 2 || frame.acknowledged > UINT64_MAX / 2)
        throw ProtocolError("it sent a frame with an impossible offset");
    if (frame.kind == FrameKind::reset && frame.offset >= kReasons)
        throw ProtocolError("it ended a connection for no known reason");
    return frame;
}

std::uint64_t number_of(Target target)
{
    return std::uint64_t{target.rank} * 2 + (target.meeting ? 1 : 0);
}

Target target_of(std::uint64_t number)
{
    if (number / 2 > INT32_MAX)
        throw ProtocolError("it asked for an impossible rank");
    return {static_cast<std::uint32_t>(number / 2), number % 2 != 0};
}

void write_greeting(const Greeting &greeting, std::uint8_t *to)
{
    put32(to, kMagic);
    put32(to + 4, kProtocol);
    put32(to + 8, greeting.site);
    put32(to + 12, greeting.to_site);
    put32(to + 16, greeting.stream);
    put32(to + 20, greeting.streams);
    put64(to + 24, greeting.instance);
    put64(to + 32, greeting.window);
}

Greeting read_greeting(const std::uint8_t *from)
{
    if (get32(from) != kMagic)
        throw ProtocolError("it is not a relay");
    if (get32(from + 4) != kProtocol)
        throw ProtocolError("it speaks version " + std::to_string(get32(from + 4)) +
                            " of the relays' protocol, this one version " +
                            std::to_string(kProtocol));
    const Greeting greeting = {get32(from + 8),  get32(from + 12), get32(from + 16),
                               get32(from + 20), get64(from + 24), get64(from + 32)};
    if (greeting.streams == 0 || greeting.streams > kMostStreams ||
        greeting.stream >= greeting.streams || greeting.window < kMostPayload ||
        greeting.window > kMostWindow)
        throw ProtocolError("its greeting makes no sense");
    return greeting;
}

} // namespace rankwise::relay
