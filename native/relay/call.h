// What a process of this site says to its relay.
#pragma once
#include "frame.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rankwise::relay
{

inline constexpr std::size_t kCallBytes = 116;
inline constexpr std::size_t kJobKeyBytes = 40, kPortKeyDigits = 32;
/// What a call begins with; TLS begins otherwise.
inline constexpr std::uint8_t kCallMark = 'r';

/// All numbers in network order: "rankgate", version, what is wanted, site, rank, whether its
/// meeting is meant, port; the job's key and that of a port, filled up with zeros; address.
struct Call {
    enum class Wish : std::uint32_t { listens = 1, connect, let_in, visit };
    Wish wish = Wish::listens;
    std::uint32_t site = 0;    // connect: the one that the rank is in
    Target target;             // listens, let_in: who says so
    std::uint16_t port = 0;    // listens, let_in: where (0: no longer); visit: that of its relay
    std::string port_key;      // let_in, visit: what the other job has to know
    std::uint32_t address = 0; // visit: where the other job's relay is, in host order
};

/// Throws ProtocolError, for a wrong key too.
Call read_call(const std::uint8_t *from, const std::string &job_key);

} // namespace rankwise::relay
