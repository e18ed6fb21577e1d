// An Ethernet frame as a TAP with IFF_VNET_HDR hands it over: possibly a super-packet of many
// segments.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace rankwise
{

/// The kernel's struct virtio_net_hdr, in this machine's byte order.
struct VirtioHeader {
    static constexpr std::uint8_t needs_checksum = 1;
    static constexpr std::uint8_t gso_none = 0, gso_tcp4 = 1, gso_tcp6 = 4, gso_ecn = 0x80;

    std::uint8_t flags;
    std::uint8_t gso_type;
    /// The kernel writes the length of the skb's linear part here, which is not that of the
    /// headers.
    std::uint16_t header_hint;
    std::uint16_t gso_size;
    std::uint16_t checksum_start;
    std::uint16_t checksum_offset;
};
static_assert(sizeof(VirtioHeader) == 10);

using Address = std::span<const std::uint8_t, 6>;

/// One frame with its virtio header. A super-packet behaves as its segments would on the wire: it
/// has their number and their bytes, and any run of them can be cut out of it.
class Frame
{
  public:
    /// On the wire every packet has preamble (8), checksum (4) and the gap to the next (12) besides
    /// what we see.
    static constexpr std::uint32_t wire_overhead_bytes = 24;
    static constexpr std::uint32_t wire_minimum_bytes = 60;

    /// Takes what was read from the TAP; nothing if it is no frame, or a super-packet that cannot
    /// be cut up.
    static std::optional<Frame> parse(std::unique_ptr<std::uint8_t[]> bytes, std::size_t length);
    static std::optional<Frame> parse(std::span<const std::uint8_t> bytes);

    Address destination() const;
    bool multicast() const;
    std::uint32_t segments() const;
    /// Of all segments together.
    std::uint32_t wire_bytes() const;
    /// Of the first segment; all but the last are as long.
    std::uint32_t segment_wire_bytes() const;
    /// A TCP packet that only acknowledges: no payload, no SYN, FIN or RST.
    bool pure_acknowledgement() const;
    /// What to write into a TAP.
    std::span<const std::uint8_t> bytes() const;

    /// A frame of its own with `count` segments from number `first` on.
    Frame slice(std::uint32_t first, std::uint32_t count) const;
    /// Only the first `count` segments stay.
    void truncate(std::uint32_t count);
    Frame copy() const;

  private:
    Frame(std::unique_ptr<std::uint8_t[]> bytes, std::size_t length);
    bool read_headers();
    bool read_tcp(std::size_t start);
    bool read_super_packet(const VirtioHeader &virtio);
    void count_wire_bytes();
    void write_headers(std::uint32_t first_segment, std::uint32_t payload_offset, bool has_last);
    std::uint8_t *ethernet() const;
    std::size_t ethernet_bytes() const;
    std::uint32_t payload_bytes() const;

    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t length_ = 0;
    std::uint32_t segments_ = 1;
    std::uint32_t wire_bytes_ = 0;
    std::uint32_t segment_payload_ = 0; // 0: no super-packet
    std::uint16_t header_bytes_ = 0;    // Ethernet to TCP, 0: not TCP
    std::uint16_t tcp_start_ = 0;       // from the start of the Ethernet frame
    bool version6_ = false;
    bool pure_acknowledgement_ = false;
};

} // namespace rankwise
