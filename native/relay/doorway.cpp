#include "doorway.h"

#include "base/error.h"
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>

namespace rankwise::relay
{

namespace
{

constexpr double kGuestSeconds = 5;
constexpr std::size_t kMostGuests = 512;
constexpr std::ptrdiff_t kMostGuestStreams = 64; // of guests: each takes 0.4 MB at most
constexpr int kAcceptedInTurn = 16;
constexpr std::uint64_t kRefusalsTold = 20;

/// The other descriptors are for the connections that are carried.
std::size_t most_guests()
{
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0)
        return kMostGuests;
    return std::clamp<std::size_t>(descriptors.rlim_cur / 4, 2, kMostGuests);
}

} // namespace

Doorway::Doorway(Poller &poller, const TlsContext &context, std::string job_key,
                 const sockaddr_in &at, Household &household)
    : poller_(poller), context_(context), job_key_(std::move(job_key)), household_(household),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      most_guests_(most_guests())
{
    const int one = 1;
    ::setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (!listener_.is_open() ||
        ::bind(listener_.number(), reinterpret_cast<const sockaddr *>(&at), sizeof at) != 0 ||
        ::listen(listener_.number(), SOMAXCONN) != 0)
        throw system_error("cannot listen at port " + std::to_string(ntohs(at.sin_port)),
                           "is another relay there? name another port: --port");
    poller_.add(
        listener_.number(), [this](std::uint32_t) { accept(); }, Poller::Of::strangers);
}

Doorway::~Doorway()
{
    for (Guest &guest : guests_)
        if (guest.socket.is_open())
            poller_.remove(guest.socket.number());
    poller_.remove(listener_.number());
}

std::uint16_t Doorway::port() const
{
    sockaddr_in at{};
    socklen_t length = sizeof at;
    if (::getsockname(listener_.number(), reinterpret_cast<sockaddr *>(&at), &length) != 0)
        throw system_error("cannot tell where it listens");
    return ntohs(at.sin_port);
}

void Doorway::accept()
{
    for (int accepted = 0; accepted < kAcceptedInTurn; accepted++)
        if (!accept_one())
            return;
    poller_.again(listener_.number()); // after what the others have to do
}

bool Doorway::accept_one()
{
    Guest guest;
    socklen_t length = sizeof guest.from;
    guest.socket =
        Descriptor(::accept4(listener_.number(), reinterpret_cast<sockaddr *>(&guest.from), &length,
                             SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!guest.socket.is_open())
        return errno == EINTR || errno == ECONNABORTED;
    make_room(guest);
    guest.since = now();
    const int socket = guest.socket.number();
    guests_.push_back(std::move(guest));
    const Place place = std::prev(guests_.end());
    poller_.add(
        socket, [this, place](std::uint32_t) { hear(place); }, Poller::Of::strangers);
    hear(place); // what it has said already counts before the next one needs its place
    return true;
}

Doorway::Place Doorway::oldest(const std::function<bool(const Guest &)> &among)
{
    const Place stranger = std::find_if(guests_.begin(), guests_.end(), [&](const Guest &one) {
        return among(one) && !(one.stream && one.stream->key_was_shown());
    });
    return stranger != guests_.end() ? stranger
                                     : std::find_if(guests_.begin(), guests_.end(), among);
}

void Doorway::make_room(const Guest &newcomer)
{
    const auto same_address = [&](const Guest &one) {
        return one.from.sin_addr.s_addr == newcomer.from.sin_addr.s_addr;
    };
    const auto there = std::count_if(guests_.begin(), guests_.end(), same_address);
    if (static_cast<std::size_t>(there) >= most_guests_ / 2)
        refuse(oldest(same_address), "too many others from its address are waiting");
    else if (guests_.size() >= most_guests_)
        refuse(oldest([](const Guest &) { return true; }), "too many others are waiting");
}

void Doorway::hear(Place guest)
{
    const int socket = guest->socket.number();
    if (guest->length == 0) {
        std::uint8_t first = 0;
        const auto seen = ::recv(socket, &first, 1, MSG_PEEK);
        if (seen < 0 && errno == EAGAIN)
            return; // who it is shows when it speaks: it may from now on
        if (seen == 1 && first != kCallMark) {
            const auto has_stream = [](const Guest &one) { return one.stream != nullptr; };
            if (std::count_if(guests_.begin(), guests_.end(), has_stream) >= kMostGuestStreams)
                refuse(oldest(has_stream), "too many other relays are waiting");
            poller_.remove(socket);
            guest->stream =
                std::make_unique<Stream>(poller_, context_, std::move(guest->socket), *this);
            return;
        }
    }
    const auto got =
        ::recv(socket, guest->said.data() + guest->length, kCallBytes - guest->length, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        refuse(guest, "it closed the connection");
        return;
    }
    guest->length += static_cast<std::size_t>(got);
    if (guest->length < kCallBytes) {
        poller_.again(socket);
        return;
    }
    try {
        const Call call = read_call(guest->said.data(), job_key_);
        poller_.remove(socket);
        household_.process_called(call, guest->from, guest->socket);
        guests_.erase(guest);
    } catch (const ProtocolError &why) {
        refuse(guest, why.what());
    }
}

void Doorway::refuse(Place guest, const std::string &why)
{
    char address[INET_ADDRSTRLEN] = "";
    ::inet_ntop(AF_INET, &guest->from.sin_addr, address, sizeof address);
    if (refused_ < kRefusalsTold)
        std::fprintf(stderr, "rankwise-relay: refused %s, port %d: %s\n", address,
                     ntohs(guest->from.sin_port), why.c_str());
    if (++refused_ == kRefusalsTold)
        std::fprintf(stderr, "rankwise-relay: further refusals are only counted\n");
    if (guest->socket.is_open())
        poller_.remove(guest->socket.number());
    guests_.erase(guest);
}

Doorway::Place Doorway::guest_of(const Stream &stream)
{
    return std::find_if(guests_.begin(), guests_.end(),
                        [&](const Guest &one) { return one.stream.get() == &stream; });
}

void Doorway::turn()
{
    accept(); // of who came when there was no descriptor left, nothing is told again
    const double time = now();
    while (!guests_.empty() && time - guests_.front().since > kGuestSeconds)
        refuse(guests_.begin(), "it did not say in time who it is");
}

void Doorway::trusted(Stream &)
{
    // It has the key: it is to say now which relay it is.
}

void Doorway::greeted(Stream &stream, const Greeting &greeting)
{
    const Place guest = guest_of(stream);
    household_.relay_came(guest->stream, greeting);
    guests_.erase(guest);
}

void Doorway::arrived(Stream &, const Frame &, Bytes, bool)
{
    throw ProtocolError("it spoke before its turn");
}

void Doorway::writable(Stream &)
{
    // Nothing is sent from here.
}

void Doorway::lost(Stream &stream, const std::string &why, bool)
{
    refuse(guest_of(stream), why);
}

} // namespace rankwise::relay
