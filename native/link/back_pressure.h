// Making a node feel that its NIC is busy.
#pragma once
#include "base/network_file.h"
#include "netlink.h"
#include <optional>

namespace rankwise
{

/// How to shape a node's NIC, or nothing where it needs none: without a rate, or without served
/// queues.
///
/// A real NIC that is full stops the node's queueing discipline; packets then wait in the node,
/// where TCP counts them as its own (TCP small queues) and does not send more. A TAP cannot do
/// that: it takes every packet, drops its sender's claim on it at once, and drops the packet when
/// 1000 wait to be read (seen up to Linux 6.18). So to read it only as fast as the NIC's rate
/// would lose packets silently. Instead it is read at once, and the node gets tbf, a token bucket,
/// a trifle slower than the NIC: the packets wait there.
///
/// Not with a host bus, whose rate changes all the time, nor with acknowledgements first, because
/// tbf has one queue only: there the NIC's own queue fills, up to its limit, as the windows of TCP
/// let it.
/// `segment_limit_bytes` is that of this node.
std::optional<netlink::Shaping> back_pressure(const Network &network, const LinkSettings &out,
                                              int segment_limit_bytes);

} // namespace rankwise
