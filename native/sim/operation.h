// One operation of a rank.
#pragma once
#include "picoseconds.h"
#include <cstdint>

namespace rankwise::sim
{

enum class Kind : std::uint8_t {
    send,
    receive,
    isend,
    ireceive,
    wait,
    wait_all,
    wait_any,
    compute,
    until, // nothing, up to this time
    graph
};

inline constexpr std::uint32_t kAnySource = 0xffffffff;
inline constexpr std::int32_t kAnyTag = -1;
inline constexpr std::int64_t kLargestMessage = (std::int64_t{1} << 40) - 1;
/// Tags from here on are those of collective operations, which "any tag" does not mean.
inline constexpr std::int32_t kCollectiveTags = 1 << 30;
/// Tags from here down stand for those of Program::large_tags.
inline constexpr std::int32_t kFirstLargeTag = -2;
inline constexpr std::uint32_t kMostRequests = 1 << 20;
/// In a row (see series.cpp), the request of what others wait for.
inline constexpr std::uint32_t kWaitedFor = 1;

/// One operation, in 16 bytes, for there may be very many.
class Operation
{
  public:
    /// `request` is of isend and ireceive: its place among the rank's requests.
    static Operation message(Kind kind, std::uint32_t peer, std::int32_t tag, std::int64_t bytes,
                             std::uint32_t request = 0)
    {
        return {kind, peer, static_cast<std::uint32_t>(tag), static_cast<std::uint64_t>(bytes),
                request};
    }
    /// The same with another kind and request.
    Operation with(Kind kind, std::uint32_t request) const
    {
        Operation made = *this;
        made.rest_ = rest_ >> 24 << 24 | std::uint64_t{request} << 4 | static_cast<unsigned>(kind);
        return made;
    }
    static Operation compute(Time duration)
    {
        return timed(Kind::compute, duration);
    }
    static Operation until(Time time)
    {
        return timed(Kind::until, time);
    }
    static Operation wait(std::uint32_t request)
    {
        return {Kind::wait, 0, 0, 0, request};
    }
    static Operation wait_all()
    {
        return {Kind::wait_all, 0, 0, 0, 0};
    }
    /// The requests are at [first, first + count) in Program::any_lists.
    static Operation wait_any(std::uint32_t first, std::uint32_t count)
    {
        return {Kind::wait_any, first, count, 0, 0};
    }
    static Operation graph(std::uint32_t number)
    {
        return {Kind::graph, number, 0, 0, 0};
    }

    Kind kind() const
    {
        return static_cast<Kind>(rest_ & 15);
    }
    std::uint32_t peer() const // of a graph its number, of wait_any the first request's place
    {
        return one_;
    }
    std::int32_t tag() const
    {
        return static_cast<std::int32_t>(other_);
    }
    std::uint32_t count() const
    {
        return other_;
    }
    std::uint32_t request() const
    {
        return static_cast<std::uint32_t>(rest_ >> 4) & (kMostRequests - 1);
    }
    std::int64_t bytes() const
    {
        return static_cast<std::int64_t>(rest_ >> 24);
    }
    Time duration() const
    {
        return static_cast<Time>((std::uint64_t{one_} << 32) | other_);
    }

  private:
    static Operation timed(Kind kind, Time time)
    {
        const auto bits = static_cast<std::uint64_t>(time);
        return {kind, static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits), 0,
                0};
    }
    Operation(Kind kind, std::uint32_t one, std::uint32_t other, std::uint64_t bytes,
              std::uint32_t request)
        : one_(one), other_(other),
          rest_(bytes << 24 | std::uint64_t{request} << 4 | static_cast<std::uint64_t>(kind))
    {
    }

    std::uint32_t one_, other_;
    std::uint64_t rest_;
};
static_assert(sizeof(Operation) == 16);

} // namespace rankwise::sim
