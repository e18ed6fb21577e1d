// Frames as a Linux TAP with offloads hands them over.
#pragma once
#include "base/byte_order.h"
#include "link/frame.h"
#include "link/switch.h"
#include <cstring>
#include <vector>

namespace rankwise::test
{

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t ethernet_at = 10, ip_at = ethernet_at + 14;
constexpr std::uint32_t tcp_headers = 14 + 20 + 32; // with the time-stamp option
constexpr std::uint32_t full_payload = 1448;        // of a segment at MTU 1500
constexpr std::uint32_t full_wire = full_payload + tcp_headers + 24;

inline void put_macs(Bytes &bytes, NodeIndex source, NodeIndex destination)
{
    const auto from = mac_of(source), to = mac_of(destination);
    std::copy(to.begin(), to.end(), bytes.begin() + ethernet_at);
    std::copy(from.begin(), from.end(), bytes.begin() + ethernet_at + 6);
}

inline void put_virtio(Bytes &bytes, const VirtioHeader &header)
{
    std::memcpy(bytes.data(), &header, sizeof header);
}

struct Tcp {
    NodeIndex source = 0;
    NodeIndex destination = 1;
    std::uint32_t payload = full_payload;
    std::uint16_t segment = full_payload; // larger payloads make a super-packet
    std::uint32_t sequence = 1000;
    std::uint8_t flags = 0x10; // ACK
    std::uint16_t id = 7;
    std::size_t ip_options = 0; // bytes, a multiple of 4
};

/// IPv4 with a partial checksum, payload byte i is i mod 251.
inline Bytes tcp_bytes(const Tcp &tcp)
{
    const std::size_t ip_header = 20 + tcp.ip_options, tcp_at = ip_at + ip_header;
    Bytes bytes(tcp_at + 32 + tcp.payload);
    const bool large = tcp.payload > tcp.segment;
    put_virtio(bytes, {VirtioHeader::needs_checksum,
                       large ? VirtioHeader::gso_tcp4 : VirtioHeader::gso_none, 0,
                       large ? tcp.segment : std::uint16_t{0},
                       static_cast<std::uint16_t>(14 + ip_header), 16});
    put_macs(bytes, tcp.source, tcp.destination);
    put16(&bytes[ethernet_at + 12], 0x0800);
    std::uint8_t *ip = &bytes[ip_at];
    ip[0] = static_cast<std::uint8_t>(0x40 | (ip_header / 4));
    put16(ip + 2, static_cast<std::uint16_t>(ip_header + 32 + tcp.payload));
    put16(ip + 4, tcp.id);
    put16(ip + 6, 0x4000);
    ip[8] = 64;
    ip[9] = 6;
    put32(ip + 12, 0x0a090001 + tcp.source);
    put32(ip + 16, 0x0a090001 + tcp.destination);
    std::uint8_t *header = &bytes[tcp_at];
    put32(header + 4, tcp.sequence);
    header[12] = 0x80;
    header[13] = tcp.flags;
    for (std::size_t i = 0; i < tcp.payload; i++)
        bytes[tcp_at + 32 + i] = static_cast<std::uint8_t>(i % 251);
    return bytes;
}

inline Frame tcp_frame(const Tcp &tcp)
{
    return std::move(*Frame::parse(tcp_bytes(tcp)));
}

/// An Ethernet frame of an unknown protocol that takes so many bytes of the wire (at least 84).
inline Frame plain_frame(NodeIndex source, NodeIndex destination, std::uint32_t wire_bytes)
{
    Bytes bytes(ethernet_at + wire_bytes - Frame::wire_overhead_bytes);
    put_macs(bytes, source, destination);
    put16(&bytes[ethernet_at + 12], 0x88b5);
    return std::move(*Frame::parse(bytes));
}

} // namespace rankwise::test
