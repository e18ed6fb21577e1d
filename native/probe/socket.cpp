#include "socket.h"

#include "base/error.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace rankwise::probe
{

namespace
{

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

constexpr auto kAgainAfter = std::chrono::milliseconds(10);

Addresses resolve(const std::string &host, std::uint16_t port, int type)
{
    addrinfo hints{};
    hints.ai_socktype = type;
    addrinfo *found = nullptr;
    const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (error != 0)
        throw host_error("cannot find the host " + host + ": " + gai_strerror(error));
    return {found, &freeaddrinfo};
}

Socket opened(int family, int type)
{
    return Socket(::socket(family, type | SOCK_CLOEXEC, 0));
}

/// Nothing if there is no such family here, or the port is taken: errno says which.
Socket bound_in(int family, int type, std::uint16_t port)
{
    Socket socket = opened(family, type);
    if (!socket)
        return socket;
    socket.set(SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
    sockaddr_in6 six{};
    sockaddr_in four{};
    const sockaddr *address = nullptr;
    socklen_t size = 0;
    if (family == AF_INET6) {
        socket.set(IPPROTO_IPV6, IPV6_V6ONLY, 0, "IPV6_V6ONLY");
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(port);
        address = reinterpret_cast<const sockaddr *>(&six);
        size = sizeof six;
    } else {
        four.sin_family = AF_INET;
        four.sin_port = htons(port);
        address = reinterpret_cast<const sockaddr *>(&four);
        size = sizeof four;
    }
    if (::bind(socket.descriptor(), address, size) != 0)
        return {};
    return socket;
}

} // namespace

Socket &Socket::operator=(Socket &&other) noexcept
{
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Socket::~Socket()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

Socket Socket::bound(int type, std::uint16_t port)
{
    Socket socket = bound_in(AF_INET6, type, port);
    if (!socket) // a host without IPv6
        socket = bound_in(AF_INET, type, port);
    if (!socket)
        throw system_error("cannot use port " + std::to_string(port));
    if (type == SOCK_STREAM && ::listen(socket.descriptor(), 8) != 0)
        throw system_error("cannot listen on port " + std::to_string(port));
    return socket;
}

Socket Socket::connected(int type, const std::string &host, std::uint16_t port,
                         Nanoseconds deadline)
{
    const Addresses addresses = resolve(host, port, type);
    while (true) {
        for (const addrinfo *one = addresses.get(); one != nullptr; one = one->ai_next) {
            Socket socket = opened(one->ai_family, type);
            if (socket && ::connect(socket.descriptor(), one->ai_addr, one->ai_addrlen) == 0)
                return socket;
        }
        if (errno != ECONNREFUSED || monotonic_now() >= deadline)
            throw system_error("cannot connect to " + host + " port " + std::to_string(port));
        std::this_thread::sleep_for(kAgainAfter);
    }
}

void Socket::set(int level, int option, int value, const char *name) const
{
    if (::setsockopt(descriptor_, level, option, &value, sizeof value) != 0)
        throw system_error(std::string("cannot set ") + name);
}

void Socket::abort()
{
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(std::exchange(descriptor_, -1));
}

bool Socket::readable_before(Nanoseconds deadline) const
{
    pollfd ready{descriptor_, POLLIN, 0};
    const Nanoseconds left = std::max<Nanoseconds>(deadline - monotonic_now(), 0);
    const timespec span{left / kSecond, left % kSecond};
    const int count = ::ppoll(&ready, 1, &span, nullptr);
    if (count < 0 && errno != EINTR)
        throw system_error("cannot wait for packets");
    return count > 0;
}

} // namespace rankwise::probe
