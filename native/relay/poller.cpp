#include "poller.h"

#include "base/error.h"
#include <array>
#include <cerrno>
#include <ctime>
#include <sched.h>
#include <utility>

namespace rankwise::relay
{

double now()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Poller::Poller(double spin_seconds)
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), spin_seconds_(spin_seconds)
{
    if (!epoll_.is_open())
        throw system_error("cannot wait for sockets");
}

std::uint64_t Poller::name_of(int socket) const
{
    const auto at = static_cast<std::size_t>(socket);
    return std::uint64_t{entries_[at].generation} << 32 | static_cast<std::uint32_t>(socket);
}

void Poller::add(int socket, Handler handler)
{
    const auto at = static_cast<std::size_t>(socket);
    if (entries_.size() <= at)
        entries_.resize(at + 1);
    entries_[at].generation++;
    entries_[at].handler = std::move(handler);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.u64 = name_of(socket);
    if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, socket, &event) != 0)
        throw system_error("cannot wait for a socket");
}

void Poller::remove(int socket)
{
    ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, socket, nullptr);
    entries_[static_cast<std::size_t>(socket)].generation++;
    entries_[static_cast<std::size_t>(socket)].handler = nullptr;
}

void Poller::again(int socket)
{
    again_.push_back(name_of(socket));
}

void Poller::tell(std::uint64_t whom, std::uint32_t events)
{
    const auto at = static_cast<std::size_t>(whom & 0xffffffff);
    if (entries_[at].generation != whom >> 32 || !entries_[at].handler)
        return;                                   // removed meanwhile
    const Handler handler = entries_[at].handler; // it may remove itself
    handler(events);
}

void Poller::wait(int milliseconds)
{
    std::array<epoll_event, 64> events{};
    const auto look = [&](int most) {
        return ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), most);
    };
    const bool may_sleep = again_.empty();
    int ready = look(0);
    while (ready == 0 && may_sleep && now() < came_ + spin_seconds_) {
        ::sched_yield(); // a process that shares this core is what is waited for
        ready = look(0);
    }
    if (ready == 0 && may_sleep)
        ready = look(milliseconds);
    if (ready < 0 && errno != EINTR)
        throw system_error("cannot wait for sockets");
    if (ready > 0)
        came_ = now();
    const auto left = std::exchange(again_, {});
    for (int i = 0; i < ready; i++)
        tell(events[static_cast<std::size_t>(i)].data.u64,
             events[static_cast<std::size_t>(i)].events);
    for (const std::uint64_t one : left)
        tell(one, EPOLLIN);
}

} // namespace rankwise::relay
