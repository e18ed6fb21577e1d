#include "server.h"

#include "base/error.h"
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>

namespace rankwise::probe
{

namespace
{

constexpr int kDatagramBufferBytes = 4 << 20;
constexpr int kDatagramsAtOnce = 64;
constexpr std::size_t kDiscardBytes = 1 << 20;

struct Arrival {
    Datagram datagram;
    sockaddr_in6 from{}; // has room for an IPv4 address as well
    socklen_t from_size = sizeof(sockaddr_in6);
    Nanoseconds stamp = 0;
};

/// One datagram of ours, if there is one; `overflowed` is what the kernel has thrown away so far.
bool receive(const Socket &socket, Arrival &arrival, std::uint32_t &overflowed)
{
    iovec part{&arrival.datagram, sizeof arrival.datagram};
    alignas(cmsghdr) char extra[256];
    msghdr message{};
    message.msg_name = &arrival.from;
    message.msg_namelen = sizeof arrival.from;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = extra;
    message.msg_controllen = sizeof extra;
    const auto size = ::recvmsg(socket.descriptor(), &message, MSG_DONTWAIT);
    if (size < 0)
        return false;
    arrival.from_size = message.msg_namelen;
    arrival.stamp = stamp_now();
    for (cmsghdr *one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
        if (one->cmsg_level != SOL_SOCKET)
            continue;
        if (one->cmsg_type == SCM_TIMESTAMPNS) {
            timespec time{};
            std::memcpy(&time, CMSG_DATA(one), sizeof time);
            arrival.stamp = time.tv_sec * kSecond + time.tv_nsec;
        } else if (one->cmsg_type == SO_RXQ_OVFL) {
            std::memcpy(&overflowed, CMSG_DATA(one), sizeof overflowed);
        }
    }
    if (static_cast<std::size_t>(size) != sizeof arrival.datagram)
        arrival.datagram.kind = {}; // not ours
    return true;
}

} // namespace

Server::Server(std::uint16_t port)
    : datagrams_(Socket::bound(SOCK_DGRAM, port)), listening_(Socket::bound(SOCK_STREAM, port))
{
    datagrams_.set(SOL_SOCKET, SO_TIMESTAMPNS, 1, "SO_TIMESTAMPNS");
    datagrams_.set(SOL_SOCKET, SO_RXQ_OVFL, 1, "SO_RXQ_OVFL");
    datagrams_.set(SOL_SOCKET, SO_RCVBUF, kDatagramBufferBytes, "SO_RCVBUF");
}

void Server::run()
{
    while (serve_client())
        control_ = Control(Socket()); // hung up, before the next comes
}

bool Server::serve_client()
{
    Socket accepted(::accept4(listening_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted)
        throw system_error("cannot accept the client");
    accepted.set(IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
    control_ = Control(std::move(accepted));
    while (true) {
        pollfd ready[] = {{datagrams_.descriptor(), POLLIN, 0},
                          {control_.socket().descriptor(), POLLIN, 0}};
        if (::poll(ready, 2, -1) < 0 && errno != EINTR)
            throw system_error("cannot wait for the client");
        if (ready[0].revents != 0) {
            receive_datagrams();
        } else if (ready[1].revents != 0) {
            const std::string line = control_.hear();
            if (line.empty())
                return true;
            if (line == "end")
                return false;
            try {
                answer(line);
            } catch (const Error &) {
                return true; // it has gone; there may be others
            }
        }
    }
}

void Server::receive_datagrams()
{
    Arrival arrival;
    for (int number = 0; number < kDatagramsAtOnce; ++number) {
        if (!receive(datagrams_, arrival, overflowed_))
            return;
        if (arrival.datagram.kind == Datagram::count) {
            ++counted_;
        } else if (arrival.datagram.kind == Datagram::echo) {
            arrival.datagram.held = stamp_now() - arrival.stamp;
            // One that cannot be sent is missing at the client, which is all there is to do.
            ::sendto(datagrams_.descriptor(), &arrival.datagram, sizeof arrival.datagram, 0,
                     reinterpret_cast<const sockaddr *>(&arrival.from), arrival.from_size);
        }
    }
}

void Server::answer(const std::string &line)
{
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "count") {
        const std::uint32_t overflowed = overflowed_ - overflowed_before_;
        control_.say(std::to_string(counted_) + " " + std::to_string(overflowed));
        counted_ = 0;
        overflowed_before_ = overflowed_;
    } else if (verb == "stream") {
        Nanoseconds skip = 0;
        words >> skip;
        control_.say(discard_stream(skip));
    } else {
        control_.say("error unknown request");
    }
}

std::string Server::discard_stream(Nanoseconds skip)
{
    control_.say("ready");
    Socket stream(::accept4(listening_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!stream)
        throw system_error("cannot accept the stream");
    std::uint64_t bytes = 0;
    std::uint64_t bytes_before = 0;
    Nanoseconds first = 0;
    Nanoseconds from = 0;
    Nanoseconds last = 0;
    while (true) {
        // MSG_TRUNC: the kernel discards for us, nothing is copied.
        const auto got = ::recv(stream.descriptor(), nullptr, kDiscardBytes, MSG_TRUNC);
        if (got <= 0)
            break;
        last = monotonic_now();
        if (first == 0)
            first = from = last;
        bytes += static_cast<std::uint64_t>(got);
        if (from == first && last - first >= skip) {
            from = last;
            bytes_before = bytes;
        }
    }
    return std::to_string(bytes - bytes_before) + " " + std::to_string(last - from);
}

} // namespace rankwise::probe
