// The NIC of a node.
#pragma once
#include "base/descriptor.h"
#include "netlink.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rankwise
{

/// Another node, as the ARP table has it.
struct Neighbour {
    std::uint32_t address; // in this machine's byte order
    std::array<std::uint8_t, 6> mac;
};

struct TapSettings {
    std::string name_space; // path
    std::array<std::uint8_t, 6> mac;
    std::uint32_t address; // in this machine's byte order
    int prefix_bits;
    int mtu_bytes;
    int segment_limit_bytes; // the MTU: the node cuts its packets itself
    int speed_megabits_per_second;
    std::optional<netlink::Shaping> shaping; // of what the node hands to the NIC
};

/// A TAP called eth0 in the node's network namespace, gone when this object is. It takes and gives
/// whole super-packets with virtio headers: one system call for up to 64 KiB.
class Tap
{
  public:
    explicit Tap(const TapSettings &settings);

    /// Permanent ARP entries: the first packet to a node takes no longer than the others.
    void introduce(std::span<const Neighbour> others) const;
    int descriptor() const;
    /// Tell whether the node has deleted it.
    bool is_gone() const;
    /// Tell whether the kernel cannot shape as the settings ask.
    bool lacks_shaping() const;
    /// The next frame that the node sends; its length is 0 if there is none now.
    struct Read {
        std::unique_ptr<std::uint8_t[]> bytes;
        std::size_t length = 0;
    };
    Read read();
    /// False: the node would not take it, because its NIC is down.
    bool write(std::span<const std::uint8_t> bytes);

  private:
    // Virtio header, Ethernet header, two VLAN tags, and the largest IP packet.
    static constexpr std::size_t room_bytes = 10 + 14 + 8 + 65536;
    // Buffers of frames above this are handed on as they are; smaller frames are copied to ones
    // that fit.
    static constexpr std::size_t worth_handing_on_bytes = 16384;

    std::string name_space_;
    bool lacks_shaping_ = false;
    Descriptor file_;
    std::unique_ptr<std::uint8_t[]> room_;
};

} // namespace rankwise
