#include "frame.h"

#include "base/byte_order.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace rankwise
{

namespace
{

constexpr std::size_t ethernet_header = 14, ip4_minimum = 20, ip6_header = 40, tcp_minimum = 20;
constexpr std::uint8_t protocol_tcp = 6;
constexpr std::uint8_t tcp_fin = 0x01, tcp_syn = 0x02, tcp_rst = 0x04, tcp_psh = 0x08,
                       tcp_cwr = 0x80;

std::uint32_t add_words(std::uint32_t sum, const std::uint8_t *from, std::size_t bytes)
{
    for (std::size_t i = 0; i + 1 < bytes; i += 2)
        sum += get16(from + i);
    return sum;
}

std::uint16_t fold(std::uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

} // namespace

Frame::Frame(std::unique_ptr<std::uint8_t[]> bytes, std::size_t length)
    : bytes_(std::move(bytes)), length_(length)
{
}

std::optional<Frame> Frame::parse(std::unique_ptr<std::uint8_t[]> bytes, std::size_t length)
{
    if (length < sizeof(VirtioHeader) + ethernet_header)
        return std::nullopt;
    Frame frame(std::move(bytes), length);
    if (!frame.read_headers())
        return std::nullopt;
    frame.count_wire_bytes();
    return frame;
}

std::optional<Frame> Frame::parse(std::span<const std::uint8_t> bytes)
{
    auto own = std::make_unique_for_overwrite<std::uint8_t[]>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), own.get());
    return parse(std::move(own), bytes.size());
}

std::uint8_t *Frame::ethernet() const
{
    return bytes_.get() + sizeof(VirtioHeader);
}

std::size_t Frame::ethernet_bytes() const
{
    return length_ - sizeof(VirtioHeader);
}

std::uint32_t Frame::payload_bytes() const
{
    return static_cast<std::uint32_t>(ethernet_bytes() - header_bytes_);
}

Address Frame::destination() const
{
    return Address(ethernet(), 6);
}

bool Frame::multicast() const
{
    return (ethernet()[0] & 1) != 0;
}

std::uint32_t Frame::segments() const
{
    return segments_;
}

std::uint32_t Frame::wire_bytes() const
{
    return wire_bytes_;
}

std::uint32_t Frame::segment_wire_bytes() const
{
    if (segments_ == 1)
        return wire_bytes_;
    return std::max(wire_minimum_bytes, header_bytes_ + segment_payload_) + wire_overhead_bytes;
}

bool Frame::pure_acknowledgement() const
{
    return pure_acknowledgement_;
}

std::span<const std::uint8_t> Frame::bytes() const
{
    return {bytes_.get(), length_};
}

bool Frame::read_headers()
{
    VirtioHeader virtio{};
    std::memcpy(&virtio, bytes_.get(), sizeof virtio);
    if ((virtio.flags & VirtioHeader::needs_checksum) != 0 &&
        std::size_t{virtio.checksum_start} + virtio.checksum_offset + 2 > ethernet_bytes())
        return false;
    const std::uint8_t *ip = ethernet() + ethernet_header;
    const std::size_t room = ethernet_bytes() - ethernet_header;
    const std::uint16_t type = get16(ethernet() + 12);
    bool tcp = false;
    if (type == 0x0800 && room >= ip4_minimum && ip[0] >> 4 == 4) {
        const std::size_t header = static_cast<std::size_t>(ip[0] & 15) * 4;
        const bool fragment = (get16(ip + 6) & 0x3fff) != 0;
        tcp = header >= ip4_minimum && header <= room && ip[9] == protocol_tcp && !fragment &&
              read_tcp(ethernet_header + header);
    } else if (type == 0x86dd && room >= ip6_header && ip[0] >> 4 == 6) {
        version6_ = true;
        tcp = ip[6] == protocol_tcp && read_tcp(ethernet_header + ip6_header);
    }
    if ((virtio.gso_type & ~VirtioHeader::gso_ecn) == VirtioHeader::gso_none)
        return true;
    return tcp && read_super_packet(virtio);
}

bool Frame::read_tcp(std::size_t start)
{
    if (ethernet_bytes() < start + tcp_minimum)
        return false;
    const std::uint8_t *tcp = ethernet() + start;
    const std::size_t header = static_cast<std::size_t>(tcp[12] >> 4) * 4;
    if (header < tcp_minimum || ethernet_bytes() < start + header)
        return false;
    tcp_start_ = static_cast<std::uint16_t>(start);
    header_bytes_ = static_cast<std::uint16_t>(start + header);
    // The length that IP states, because short frames may be padded.
    const std::uint8_t *ip = ethernet() + ethernet_header;
    const std::size_t stated = version6_ ? ip6_header + get16(ip + 4) : get16(ip + 2);
    pure_acknowledgement_ =
        ethernet_header + stated == header_bytes_ && (tcp[13] & (tcp_syn | tcp_fin | tcp_rst)) == 0;
    return true;
}

bool Frame::read_super_packet(const VirtioHeader &virtio)
{
    const int kind = virtio.gso_type & ~VirtioHeader::gso_ecn;
    if (kind != (version6_ ? VirtioHeader::gso_tcp6 : VirtioHeader::gso_tcp4))
        return false;
    if (virtio.gso_size == 0 || (virtio.flags & VirtioHeader::needs_checksum) == 0 ||
        virtio.checksum_start != tcp_start_ || virtio.checksum_offset != 16 ||
        payload_bytes() == 0 || ethernet_bytes() - ethernet_header > 0xffff)
        return false;
    segment_payload_ = virtio.gso_size;
    segments_ = (payload_bytes() + segment_payload_ - 1) / segment_payload_;
    pure_acknowledgement_ = false;
    return true;
}

void Frame::count_wire_bytes()
{
    std::uint32_t last = static_cast<std::uint32_t>(ethernet_bytes());
    std::uint32_t before = 0;
    if (segments_ > 1) {
        last = header_bytes_ + payload_bytes() - (segments_ - 1) * segment_payload_;
        before = (segments_ - 1) * segment_wire_bytes();
    }
    wire_bytes_ = before + std::max(wire_minimum_bytes, last) + wire_overhead_bytes;
}

Frame Frame::copy() const
{
    Frame other(std::make_unique_for_overwrite<std::uint8_t[]>(length_), length_);
    std::memcpy(other.bytes_.get(), bytes_.get(), length_);
    other.segments_ = segments_;
    other.wire_bytes_ = wire_bytes_;
    other.segment_payload_ = segment_payload_;
    other.header_bytes_ = header_bytes_;
    other.tcp_start_ = tcp_start_;
    other.version6_ = version6_;
    other.pure_acknowledgement_ = pure_acknowledgement_;
    return other;
}

Frame Frame::slice(std::uint32_t first, std::uint32_t count) const
{
    const std::uint32_t offset = first * segment_payload_;
    const std::uint32_t kept = std::min(count * segment_payload_, payload_bytes() - offset);
    const std::size_t headers = sizeof(VirtioHeader) + header_bytes_;
    Frame part(std::make_unique_for_overwrite<std::uint8_t[]>(headers + kept), headers + kept);
    std::memcpy(part.bytes_.get(), bytes_.get(), headers);
    std::memcpy(part.bytes_.get() + headers, bytes_.get() + headers + offset, kept);
    part.segments_ = count;
    part.segment_payload_ = segment_payload_;
    part.header_bytes_ = header_bytes_;
    part.tcp_start_ = tcp_start_;
    part.version6_ = version6_;
    part.write_headers(first, offset, first + count == segments_);
    return part;
}

void Frame::truncate(std::uint32_t count)
{
    if (count >= segments_)
        return;
    length_ = sizeof(VirtioHeader) + header_bytes_ + std::size_t{count} * segment_payload_;
    segments_ = count;
    write_headers(0, 0, false);
}

/// Makes the headers say what segmentation would have made them say, from the state of the
/// super-packet's.
void Frame::write_headers(std::uint32_t first_segment, std::uint32_t payload_offset, bool has_last)
{
    VirtioHeader virtio{};
    std::memcpy(&virtio, bytes_.get(), sizeof virtio);
    virtio.header_hint = header_bytes_;
    if (segments_ == 1) {
        virtio.gso_type = VirtioHeader::gso_none;
        virtio.gso_size = 0;
    }
    std::memcpy(bytes_.get(), &virtio, sizeof virtio);

    std::uint8_t *ip = ethernet() + ethernet_header;
    const auto transport_bytes = static_cast<std::uint16_t>(ethernet_bytes() - tcp_start_);
    std::uint32_t pseudo = protocol_tcp + std::uint32_t{transport_bytes};
    if (version6_) {
        put16(ip + 4, transport_bytes);
        pseudo = add_words(pseudo, ip + 8, 32);
    } else {
        put16(ip + 2, static_cast<std::uint16_t>(ethernet_bytes() - ethernet_header));
        put16(ip + 4, static_cast<std::uint16_t>(get16(ip + 4) + first_segment));
        put16(ip + 10, 0);
        const std::uint32_t sum = add_words(0, ip, tcp_start_ - ethernet_header);
        put16(ip + 10, static_cast<std::uint16_t>(~fold(sum)));
        pseudo = add_words(pseudo, ip + 12, 8);
    }
    std::uint8_t *tcp = ethernet() + tcp_start_;
    put32(tcp + 4, get32(tcp + 4) + payload_offset);
    if (!has_last)
        tcp[13] = static_cast<std::uint8_t>(tcp[13] & ~(tcp_fin | tcp_psh));
    if (first_segment > 0)
        tcp[13] = static_cast<std::uint8_t>(tcp[13] & ~tcp_cwr);
    // The receiver, or its NIC, completes the checksum: until then the field holds the pseudo
    // header's sum.
    put16(tcp + 16, fold(pseudo));
    count_wire_bytes();
}

} // namespace rankwise
