// What only netlink can set.
#pragma once
#include <cstdint>
#include <string>

namespace rankwise::netlink
{

/// gso_max_size: the largest super-packet that the interface is handed.
void set_segment_limit(const std::string &interface, int bytes);

struct Shaping {
    double rate_bytes_per_second;
    std::uint32_t burst_bytes;
    std::uint32_t limit_bytes;
    std::uint16_t overhead_bytes; // added to the length of each packet
};
/// Makes tbf (token bucket filter) the interface's queueing discipline; false: this kernel has
/// none.
bool shape(const std::string &interface, const Shaping &shaping);

} // namespace rankwise::netlink
