// What a process of this site says to its relay.
#pragma once
#include "frame.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rankwise::relay
{

inline constexpr std::size_t kCallBytes = 72;
inline constexpr std::size_t kJobKeyBytes = 40;
/// What a call begins with; TLS begins otherwise.
inline constexpr std::uint8_t kCallMark = 'r';

/// All numbers in network order: "rankgate", version, what is wanted, site, rank, whether its
/// meeting is meant, port; and the job's key, filled up with zeros.
struct Call {
    enum class Wish : std::uint32_t { listens = 1, connect };
    Wish wish = Wish::listens;
    std::uint32_t site = 0; // connect: the one that the rank is in
    Target target;          // listens: who says so
    std::uint16_t port = 0; // listens: where
};

/// Throws ProtocolError, for a wrong key too.
Call read_call(const std::uint8_t *from, const std::string &job_key);

} // namespace rankwise::relay
