// Waits for many sockets at once, and tells each one's owner.
#pragma once
#include "base/descriptor.h"
#include <cstdint>
#include <deque>
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
    /// Sockets of strangers come after all others, and get a quarter of the time at most.
    enum class Of { ours, strangers };

    /// `spin_seconds`: for so long after something came it looks for more before it sleeps.
    explicit Poller(double spin_seconds);
    /// The handler may remove any socket, its own too.
    void add(int socket, Handler handler, Of whom = Of::ours);
    /// It is a stranger's no longer.
    void trust(int socket);
    void remove(int socket);
    /// As if it were readable, in the next turn: its owner has left something.
    void again(int socket);
    void wait(int milliseconds);

  private:
    struct Entry {
        std::uint32_t generation = 0;
        Of whom = Of::ours;
        std::uint32_t waiting = 0; // events, of a stranger's
        Handler handler;
    };
    struct Event {
        std::uint64_t name;
        std::uint32_t events;
    };
    void tell(const Event &event);
    void sort(const Event &event);
    void hear_strangers();
    int milliseconds_to_wait(int most) const;
    std::uint64_t name_of(int socket) const;

    Descriptor epoll_;
    double spin_seconds_, came_ = 0; // when something came last
    std::vector<Entry> entries_;     // by descriptor
    std::vector<std::uint64_t> again_;
    std::vector<Event> ours_; // of this turn
    std::deque<std::uint64_t> strangers_;
    double strangers_after_ = 0; // when they have their next turn
};

} // namespace rankwise::relay
