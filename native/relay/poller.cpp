#include "poller.h"

#include "base/error.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <sched.h>
#include <utility>

namespace rankwise::relay
{

namespace
{

/// In a turn, and how much longer the others have the relay to themselves then.
constexpr double kStrangersSeconds = 1e-3, kOursForStrangers = 3;

} // namespace

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

void Poller::add(int socket, Handler handler, Of whom)
{
    const auto at = static_cast<std::size_t>(socket);
    if (entries_.size() <= at)
        entries_.resize(at + 1);
    entries_[at].generation++;
    entries_[at].whom = whom;
    entries_[at].waiting = 0;
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

void Poller::trust(int socket)
{
    entries_[static_cast<std::size_t>(socket)].whom = Of::ours;
}

void Poller::tell(const Event &event)
{
    const auto at = static_cast<std::size_t>(event.name & 0xffffffff);
    if (entries_[at].generation != event.name >> 32 || !entries_[at].handler)
        return;                                   // removed meanwhile
    const Handler handler = entries_[at].handler; // it may remove itself
    handler(event.events);
}

void Poller::sort(const Event &event)
{
    Entry &entry = entries_[static_cast<std::size_t>(event.name & 0xffffffff)];
    if (entry.generation != event.name >> 32)
        return;
    if (entry.whom == Of::ours) {
        ours_.push_back(event);
        return;
    }
    if (entry.waiting == 0)
        strangers_.push_back(event.name);
    entry.waiting |= event.events;
}

void Poller::hear_strangers()
{
    const double begun = now();
    if (strangers_.empty() || begun < strangers_after_)
        return;
    double time = begun;
    for (; !strangers_.empty() && time < begun + kStrangersSeconds; time = now()) {
        const std::uint64_t name = strangers_.front();
        strangers_.pop_front();
        Entry &entry = entries_[static_cast<std::size_t>(name & 0xffffffff)];
        if (entry.generation == name >> 32)
            tell({name, std::exchange(entry.waiting, 0)});
    }
    strangers_after_ = time + kOursForStrangers * (time - begun);
}

int Poller::milliseconds_to_wait(int most) const
{
    if (!again_.empty())
        return 0;
    if (strangers_.empty())
        return most;
    const double left = strangers_after_ - now();
    return left <= 0 ? 0 : std::min(most, static_cast<int>(1e3 * left) + 1);
}

void Poller::wait(int milliseconds)
{
    std::array<epoll_event, 64> events{};
    const auto look = [&](int most) {
        return ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), most);
    };
    const int most = milliseconds_to_wait(milliseconds);
    int ready = look(0);
    while (ready == 0 && most > 0 && now() < came_ + spin_seconds_) {
        ::sched_yield(); // a process that shares this core is what is waited for
        ready = look(0);
    }
    if (ready == 0 && most > 0)
        ready = look(most);
    if (ready < 0 && errno != EINTR)
        throw system_error("cannot wait for sockets");
    for (int i = 0; i < ready; i++)
        sort({events[static_cast<std::size_t>(i)].data.u64,
              events[static_cast<std::size_t>(i)].events});
    if (!ours_.empty())
        came_ = now();
    for (const std::uint64_t name : std::exchange(again_, {}))
        sort({name, EPOLLIN});
    for (const Event &event : std::exchange(ours_, {}))
        tell(event);
    hear_strangers();
}

} // namespace rankwise::relay
