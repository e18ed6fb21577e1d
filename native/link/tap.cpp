#include "tap.h"

#include "base/error.h"
#include "frame.h"
#include "interface.h"
#include "net_namespace.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <utility>

namespace rankwise
{

namespace
{

Descriptor open_tun()
{
    Descriptor file(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (file.number() >= 0)
        return file;
    if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
        throw system_error("opening /dev/net/tun",
                           "as root: modprobe tun; in a container: --device /dev/net/tun");
    throw system_error("opening /dev/net/tun", "as root: chmod 666 /dev/net/tun");
}

Descriptor make_tap(bool super_packets)
{
    Descriptor file = open_tun();
    ifreq request{};
    std::strcpy(request.ifr_name, "eth0");
    request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
    if (ioctl(file.number(), TUNSETIFF, &request) != 0)
        throw system_error("making the TAP eth0",
                           errno == EPERM ? "run it with CAP_NET_ADMIN in the node's namespace"
                                          : "is there an eth0 in this namespace already?");
    int header_bytes = sizeof(VirtioHeader);
    if (ioctl(file.number(), TUNSETVNETHDRSZ, &header_bytes) != 0)
        throw system_error("TUNSETVNETHDRSZ on /dev/net/tun");
    const unsigned int offloads =
        super_packets ? TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 : unsigned{TUN_F_CSUM};
    if (ioctl(file.number(), TUNSETOFFLOAD, offloads) != 0)
        throw system_error("TUNSETOFFLOAD on /dev/net/tun");
    return file;
}

} // namespace

Tap::Tap(const TapSettings &settings) : name_space_(settings.name_space)
{
    const NetNamespace inside(name_space_);
    const bool super_packets = settings.segment_limit_bytes > settings.mtu_bytes;
    file_ = make_tap(super_packets);
    Interface nic("eth0");
    nic.set_mac(settings.mac);
    nic.set_mtu(settings.mtu_bytes);
    nic.set_address(settings.address, settings.prefix_bits);
    nic.set_speed(settings.speed_megabits_per_second);
    if (super_packets)
        netlink::set_segment_limit("eth0", settings.segment_limit_bytes);
    lacks_shaping_ = settings.shaping && !netlink::shape("eth0", *settings.shaping);
    nic.set_up();
    Interface("lo").set_up();
}

void Tap::introduce(std::span<const Neighbour> others) const
{
    const NetNamespace inside(name_space_);
    Interface nic("eth0");
    for (const Neighbour &other : others)
        nic.add_neighbour(other.address, other.mac);
}

int Tap::descriptor() const
{
    return file_.number();
}

bool Tap::is_gone() const
{
    ifreq request{};
    return ioctl(file_.number(), TUNGETIFF, &request) != 0 && errno == EBADFD;
}

bool Tap::lacks_shaping() const
{
    return lacks_shaping_;
}

Tap::Read Tap::read()
{
    if (room_ == nullptr)
        room_ = std::make_unique_for_overwrite<std::uint8_t[]>(room_bytes);
    const ssize_t got = ::read(file_.number(), room_.get(), room_bytes);
    if (got <= 0)
        return {};
    const auto length = static_cast<std::size_t>(got);
    if (length > worth_handing_on_bytes)
        return {std::move(room_), length};
    auto copy = std::make_unique_for_overwrite<std::uint8_t[]>(length);
    std::memcpy(copy.get(), room_.get(), length);
    return {std::move(copy), length};
}

bool Tap::write(std::span<const std::uint8_t> bytes)
{
    return ::write(file_.number(), bytes.data(), bytes.size()) >= 0;
}

} // namespace rankwise
