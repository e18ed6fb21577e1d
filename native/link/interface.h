// Settings of a network interface, by ioctl, in the namespace in which the object is made.
#pragma once
#include "base/descriptor.h"
#include <array>
#include <cstdint>
#include <string>

namespace rankwise
{

class Interface
{
  public:
    explicit Interface(std::string name);

    void set_mac(const std::array<std::uint8_t, 6> &mac);
    void set_mtu(int bytes);
    /// IPv4, in this machine's byte order.
    void set_address(std::uint32_t address, int prefix_bits);
    /// What ethtool and MPIs that stripe over NICs are told; the kernel does not care. Not vital:
    /// no error.
    void set_speed(int megabits_per_second);
    void set_up();
    /// A permanent ARP entry.
    void add_neighbour(std::uint32_t address, const std::array<std::uint8_t, 6> &mac);

  private:
    void request(unsigned long number, void *argument, const std::string &what);

    std::string name_;
    Descriptor socket_;
};

} // namespace rankwise
