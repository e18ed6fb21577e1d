// What relays say to one another: frames within a TLS stream, and the greeting that comes first.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace rankwise::relay
{

inline constexpr std::uint32_t kProtocol = 2;
inline constexpr std::size_t kFrameBytes = 32;
/// In which frames tell windows.
inline constexpr std::uint64_t kWindowUnit = 65536;
/// A frame is one TLS record, so that it is sent on as soon as it can be decrypted.
inline constexpr std::size_t kMostPayload = 16384 - kFrameBytes;

/// What the other side says makes no sense: the stream is closed with these words.
class ProtocolError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

enum class FrameKind : std::uint8_t {
    open = 1,    // `offset` says to whom (Target)
    opened,      // it is connected there
    data,        // `length` bytes from `offset` on
    end,         // there is no more from `offset` on; counts as one byte
    acknowledge, // only what every frame carries
    reset,       // the connection is gone; `offset` is a Reason
    ping,        // the stream works
};

enum class Reason : std::uint8_t { broken, nobody, unreachable, unknown };
inline constexpr std::uint64_t kReasons = 4;

/// A frame carries, whatever its kind, how much of the other direction has gone out to the process
/// there: up to that offset nothing needs to be sent again, and the window begins there. And what
/// the window of its own direction is now, so that the other side acknowledges in time.
struct Frame {
    FrameKind kind = FrameKind::ping;
    std::uint32_t channel = 0;
    std::uint32_t length = 0;
    std::uint64_t offset = 0;
    std::uint64_t acknowledged = 0;
    std::uint32_t window = 0; // 24 bits; 0: as greeted
};

void write_frame(const Frame &frame, std::uint8_t *to);
/// Throws ProtocolError.
Frame read_frame(const std::uint8_t *from);

/// Whom a connection is for: where a process listens to others, or where the first one meets all.
struct Target {
    std::uint32_t rank = 0;
    bool meeting = false;
    auto operator<=>(const Target &) const = default;
};
std::uint64_t number_of(Target target);
Target target_of(std::uint64_t number);

inline constexpr std::size_t kGreetingBytes = 40;

/// In place of a site's number, where relays are of different jobs.
inline constexpr std::uint32_t kAbroad = UINT32_MAX;

/// The first thing on a stream, said by both sides.
struct Greeting {
    std::uint32_t site = 0, to_site = 0; // by their numbers in the job
    std::uint32_t stream = 0, streams = 0;
    std::uint64_t instance = 0; // of this process: another one knows nothing of its connections
    std::uint64_t window = 0;   // bytes
};

void write_greeting(const Greeting &greeting, std::uint8_t *to);
/// Throws ProtocolError, for another version too.
Greeting read_greeting(const std::uint8_t *from);

} // namespace rankwise::relay
