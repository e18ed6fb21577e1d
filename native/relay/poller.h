// Waits for many sockets at once, and tells each one's owner.
#pragma once
#include "base/descriptor.h"
#include <cstdint>
#include <functional>
#include <sys/epoll.h>
#include <vector>

namespace rankwise::relay
{

double now(); // seconds since some time

/// Edge-triggered: what a socket is ready for is told once, until it says EAGAIN.
class Poller
{
  public:
    using Handler = std::function<void(std::uint32_t events)>;

    /// `spin_seconds`: for so long after something came it looks for more before it sleeps.
    explicit Poller(double spin_seconds);
    /// The handler may remove any socket, its own too.
    void add(int socket, Handler handler);
    void remove(int socket);
    /// As if it were readable, in the next turn: its owner has left something.
    void again(int socket);
    void wait(int milliseconds);

  private:
    struct Entry {
        std::uint32_t generation = 0;
        Handler handler;
    };
    void tell(std::uint64_t whom, std::uint32_t events);
    std::uint64_t name_of(int socket) const;

    Descriptor epoll_;
    double spin_seconds_, came_ = 0; // when something came last
    std::vector<Entry> entries_;     // by descriptor
    std::vector<std::uint64_t> again_;
};

} // namespace rankwise::relay
