#include "interface.h"

#include "base/error.h"
#include <arpa/inet.h>
#include <cstring>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <utility>

namespace rankwise
{

namespace
{

ifreq request_for(const std::string &name)
{
    ifreq request{};
    name.copy(request.ifr_name, sizeof request.ifr_name - 1);
    return request;
}

sockaddr internet_address(std::uint32_t address)
{
    sockaddr_in typed{};
    typed.sin_family = AF_INET;
    typed.sin_addr.s_addr = htonl(address);
    sockaddr plain{};
    std::memcpy(&plain, &typed, sizeof plain);
    return plain;
}

sockaddr hardware_address(const std::array<std::uint8_t, 6> &mac)
{
    sockaddr address{};
    address.sa_family = ARPHRD_ETHER;
    std::memcpy(address.sa_data, mac.data(), mac.size());
    return address;
}

} // namespace

Interface::Interface(std::string name)
    : name_(std::move(name)), socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
{
    if (socket_.number() < 0)
        throw system_error("opening a socket to set up " + name_);
}

void Interface::request(unsigned long number, void *argument, const std::string &what)
{
    if (ioctl(socket_.number(), number, argument) != 0)
        throw system_error("setting the " + what + " of " + name_);
}

void Interface::set_mac(const std::array<std::uint8_t, 6> &mac)
{
    ifreq one = request_for(name_);
    one.ifr_hwaddr = hardware_address(mac);
    request(SIOCSIFHWADDR, &one, "MAC address");
}

void Interface::set_mtu(int bytes)
{
    ifreq one = request_for(name_);
    one.ifr_mtu = bytes;
    request(SIOCSIFMTU, &one, "MTU");
}

void Interface::set_address(std::uint32_t address, int prefix_bits)
{
    ifreq one = request_for(name_);
    one.ifr_addr = internet_address(address);
    request(SIOCSIFADDR, &one, "address");
    one.ifr_netmask = internet_address(~std::uint32_t{0} << (32 - prefix_bits));
    request(SIOCSIFNETMASK, &one, "network mask");
}

void Interface::set_speed(int megabits_per_second)
{
    ethtool_cmd command{};
    command.cmd = ETHTOOL_SSET;
    ethtool_cmd_speed_set(&command, static_cast<std::uint32_t>(megabits_per_second));
    command.duplex = DUPLEX_FULL;
    ifreq one = request_for(name_);
    one.ifr_data = reinterpret_cast<char *>(&command);
    ioctl(socket_.number(), SIOCETHTOOL, &one);
}

void Interface::set_up()
{
    ifreq one = request_for(name_);
    if (ioctl(socket_.number(), SIOCGIFFLAGS, &one) != 0)
        throw system_error("reading the flags of " + name_);
    one.ifr_flags = static_cast<short>(one.ifr_flags | IFF_UP);
    request(SIOCSIFFLAGS, &one, "state");
}

void Interface::add_neighbour(std::uint32_t address, const std::array<std::uint8_t, 6> &mac)
{
    arpreq entry{};
    entry.arp_pa = internet_address(address);
    entry.arp_ha = hardware_address(mac);
    entry.arp_flags = ATF_PERM | ATF_COM;
    name_.copy(entry.arp_dev, sizeof entry.arp_dev - 1);
    request(SIOCSARP, &entry, "ARP entries");
}

} // namespace rankwise
