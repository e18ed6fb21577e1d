// Super-packets have the size of their segments, and pieces of them are what segmentation would
// have made.
#include "base/tests/check.h"
#include "frames.h"

using namespace rankwise;
using namespace rankwise::test;

namespace
{

std::uint16_t sum16(const std::uint8_t *from, std::size_t bytes)
{
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < bytes; i += 2)
        sum += get16(from + i);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
}

void sizes()
{
    CHECK(tcp_frame({}).wire_bytes() == full_wire);
    CHECK(tcp_frame({}).segments() == 1);
    const Frame super_packet = tcp_frame({.payload = 10 * full_payload + 100});
    CHECK(super_packet.segments() == 11);
    CHECK(super_packet.wire_bytes() == 10 * full_wire + 100 + tcp_headers + 24);
    CHECK(super_packet.segment_wire_bytes() == full_wire);
    // An acknowledgement of 66 bytes; a frame below the minimum is padded to 60.
    CHECK(tcp_frame({.payload = 0}).wire_bytes() == 90);
    Bytes small(ethernet_at + 20);
    CHECK(Frame::parse(small)->wire_bytes() == 84);
}

void acknowledgements()
{
    CHECK(tcp_frame({.payload = 0}).pure_acknowledgement());
    CHECK(!tcp_frame({.payload = 1}).pure_acknowledgement());
    CHECK(!tcp_frame({.payload = 0, .flags = 0x12}).pure_acknowledgement()); // SYN
    CHECK(!tcp_frame({.payload = 0, .flags = 0x11}).pure_acknowledgement()); // FIN
    CHECK(!tcp_frame({.payload = 5000}).pure_acknowledgement());
    Bytes padded = tcp_bytes({.payload = 0});
    padded.resize(padded.size() + 6);
    CHECK(Frame::parse(padded)->pure_acknowledgement());
}

/// Checks the piece with the payload bytes [begin, end) of `whole`.
void check_piece(const Frame &piece, std::size_t begin, std::size_t end, bool has_last,
                 std::size_t ip_header)
{
    const std::uint8_t *bytes = piece.bytes().data();
    const std::uint8_t *ip = bytes + ip_at, *tcp = ip + ip_header, *payload = tcp + 32;
    CHECK(piece.bytes().size() == ip_at + ip_header + 32 + end - begin);
    CHECK(get16(ip + 2) == ip_header + 32 + end - begin);
    CHECK(get16(ip + 4) == 7 + begin / full_payload);
    CHECK(sum16(ip, ip_header) == 0xffff); // that is how a receiver checks it
    CHECK(get32(tcp + 4) == 1000 + begin);
    CHECK(tcp[13] == (has_last ? 0x19 : 0x10)); // FIN and PSH belong to the last
    const std::uint32_t pseudo =
        std::uint32_t{sum16(ip + 12, 8)} + 6 + static_cast<std::uint32_t>(32 + end - begin);
    CHECK(get16(tcp + 16) == (pseudo & 0xffff) + (pseudo >> 16));
    for (std::size_t i = 0; i < end - begin; i++)
        if (payload[i] != (begin + i) % 251)
            return CHECK(!"the payload is the right part of the whole");
    VirtioHeader virtio{};
    std::memcpy(&virtio, bytes, sizeof virtio);
    const bool single = end - begin <= full_payload;
    CHECK(virtio.gso_type == (single ? VirtioHeader::gso_none : VirtioHeader::gso_tcp4));
    CHECK(virtio.gso_size == (single ? 0 : full_payload));
    CHECK(virtio.flags == VirtioHeader::needs_checksum);
    const auto again = Frame::parse(piece.bytes());
    CHECK(again && again->segments() == piece.segments() &&
          again->wire_bytes() == piece.wire_bytes());
}

void pieces(std::size_t ip_options)
{
    const std::size_t total = 9 * full_payload + 77;
    const Tcp tcp{.payload = total, .flags = 0x19, .ip_options = ip_options};
    const std::size_t ip_header = 20 + ip_options;
    const Frame whole = tcp_frame(tcp);
    check_piece(whole.slice(0, 1), 0, full_payload, false, ip_header);
    check_piece(whole.slice(3, 4), 3 * full_payload, 7 * full_payload, false, ip_header);
    check_piece(whole.slice(8, 2), 8 * full_payload, total, true, ip_header);
    check_piece(whole.slice(9, 1), 9 * full_payload, total, true, ip_header);
    Frame front = tcp_frame(tcp);
    front.truncate(6);
    check_piece(front, 0, 6 * full_payload, false, ip_header);
    check_piece(front.slice(5, 1), 5 * full_payload, 6 * full_payload, false, ip_header);
    front.truncate(1);
    check_piece(front, 0, full_payload, false, ip_header);
    front.truncate(1); // nothing to do
    check_piece(front, 0, full_payload, false, ip_header);
}

/// The parts of a super-packet weigh what it weighs.
void conservation()
{
    const Frame whole = tcp_frame({.payload = 44 * full_payload + 3});
    for (std::uint32_t cut = 1; cut < whole.segments(); cut++)
        CHECK(whole.slice(0, cut).wire_bytes() +
                  whole.slice(cut, whole.segments() - cut).wire_bytes() ==
              whole.wire_bytes());
    const Frame copy = whole.copy();
    CHECK(copy.segments() == whole.segments() && copy.wire_bytes() == whole.wire_bytes());
    CHECK(std::memcmp(copy.bytes().data(), whole.bytes().data(), whole.bytes().size()) == 0);
}

void version6()
{
    Bytes bytes(ip_at + 40 + 32 + 3000);
    put_virtio(bytes, {VirtioHeader::needs_checksum, VirtioHeader::gso_tcp6, 0, 1428, 54, 16});
    put_macs(bytes, 0, 1);
    put16(&bytes[ethernet_at + 12], 0x86dd);
    bytes[ip_at] = 0x60;
    put16(&bytes[ip_at + 4], 32 + 3000);
    bytes[ip_at + 6] = 6;
    bytes[ip_at + 8] = 0xfe;
    bytes[ip_at + 40 + 12] = 0x80;
    const auto whole = Frame::parse(bytes);
    CHECK(whole && whole->segments() == 3);
    const Frame part = whole->slice(2, 1);
    CHECK(get16(part.bytes().data() + ip_at + 4) == 32 + 3000 - 2 * 1428);
    CHECK(get32(part.bytes().data() + ip_at + 40 + 4) == 2 * 1428);
    CHECK(get16(part.bytes().data() + ip_at + 40 + 16) == 0xfe00 + 6 + 32 + 144);
}

void malformed()
{
    CHECK(!Frame::parse(Bytes{}));
    CHECK(!Frame::parse(Bytes(23)));
    const auto with = [](std::uint8_t gso_type, std::uint16_t size, std::uint16_t start,
                         std::uint16_t offset, std::uint8_t flags = 1) {
        Bytes bytes = tcp_bytes({.payload = 5000});
        put_virtio(bytes, {flags, gso_type, 0, size, start, offset});
        return Frame::parse(bytes).has_value();
    };
    CHECK(with(VirtioHeader::gso_tcp4, 1448, 34, 16));
    CHECK(with(VirtioHeader::gso_tcp4 | VirtioHeader::gso_ecn, 1448, 34, 16));
    CHECK(!with(VirtioHeader::gso_tcp4, 0, 34, 16));       // segments without payload
    CHECK(!with(VirtioHeader::gso_tcp6, 1448, 34, 16));    // not the version of IP
    CHECK(!with(3, 1448, 34, 16));                         // UDP fragments, not offered
    CHECK(!with(VirtioHeader::gso_tcp4, 1448, 34, 6));     // not TCP's checksum
    CHECK(!with(VirtioHeader::gso_tcp4, 1448, 34, 16, 0)); // no checksum to complete
    CHECK(!with(VirtioHeader::gso_none, 0, 65000, 16));    // outside the frame
}

} // namespace

int main()
{
    sizes();
    acknowledgements();
    pieces(0);
    pieces(12);
    conservation();
    version6();
    malformed();
    return conclude();
}
