#include "stream.h"

#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace rankwise::relay
{

namespace
{

constexpr int kReadsInTurn = 32;
constexpr std::size_t kRecord = 16384, kRecordsTogether = 4;
/// The kernel keeps little that it cannot send yet: another stream may be able to.
constexpr int kNotSent = 256 << 10;

void set(const Descriptor &socket, int level, int option, int value)
{
    ::setsockopt(socket.number(), level, option, &value, sizeof value);
}

/// Whether a whole frame is there that continues this one.
bool goes_on(const Frame &frame, Bytes rest)
{
    if (frame.kind != FrameKind::data || rest.size() < kFrameBytes)
        return false;
    const Frame next = read_frame(rest.data());
    return next.kind == FrameKind::data && next.channel == frame.channel &&
           next.offset == frame.offset + frame.length && rest.size() >= kFrameBytes + next.length;
}

} // namespace

Stream::Stream(Poller &poller, const TlsContext &context, Descriptor socket, StreamOwner &owner)
    : poller_(poller), context_(context), socket_(std::move(socket)), owner_(&owner),
      phase_(Phase::shaking), buffer_((kRecordsTogether + 1) * kRecord), heard_(now()),
      spoke_(heard_)
{
    tls_.emplace(context_, socket_.number(), true);
    start();
}

Stream::Stream(Poller &poller, const TlsContext &context, const sockaddr_in &to, StreamOwner &owner)
    : poller_(poller), context_(context),
      socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), owner_(&owner),
      phase_(Phase::connecting), buffer_((kRecordsTogether + 1) * kRecord), heard_(now()),
      spoke_(heard_)
{
    if (!socket_.is_open() ||
        (::connect(socket_.number(), reinterpret_cast<const sockaddr *>(&to), sizeof to) != 0 &&
         errno != EINPROGRESS))
        throw StreamError(std::strerror(errno));
    start();
}

Stream::~Stream()
{
    poller_.remove(socket_.number());
}

void Stream::start()
{
    set(socket_, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket_, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kNotSent);
    // Whom this side has called is none; who has come is one until somebody takes the stream.
    poller_.add(
        socket_.number(), [this](std::uint32_t events) { handle(events); },
        tls_ ? Poller::Of::strangers : Poller::Of::ours);
}

void Stream::handle(std::uint32_t events)
{
    try {
        advance(events);
    } catch (const Farewell &why) {
        owner_->lost(*this, why.what(), true);
    } catch (const StreamError &why) {
        owner_->lost(*this, why.what(), false);
    } catch (const ProtocolError &why) {
        owner_->lost(*this, why.what(), false);
    }
}

void Stream::advance(std::uint32_t events)
{
    if (phase_ == Phase::connecting) {
        int error = 0;
        socklen_t length = sizeof error;
        ::getsockopt(socket_.number(), SOL_SOCKET, SO_ERROR, &error, &length);
        if (error != 0)
            throw StreamError(std::strerror(error));
        if ((events & EPOLLOUT) == 0)
            return;
        tls_.emplace(context_, socket_.number(), false);
        phase_ = Phase::shaking;
    }
    if (phase_ == Phase::shaking) {
        if (!tls_->shake_hands())
            return;
        phase_ = Phase::open;
        owner_->trusted(*this);
    }
    if ((events & EPOLLOUT) != 0) {
        full_ = false;
        if (pending_)
            write();
        flush();
    }
    read();
    if ((events & EPOLLOUT) != 0 && is_free())
        owner_->writable(*this);
}

void Stream::read()
{
    for (int reads = 0; reads < kReadsInTurn; reads++) {
        std::size_t got = 0, before = filled_;
        do {
            got = tls_->read(std::span(buffer_).subspan(filled_));
            filled_ += got;
        } while (got > 0 && filled_ + kRecord <= buffer_.size());
        if (filled_ == before)
            return;
        heard_ = now();
        const std::size_t used = parse(Bytes(buffer_).first(filled_));
        filled_ -= used;
        if (used > 0 && filled_ > 0)
            std::memmove(buffer_.data(), buffer_.data() + used, filled_);
        if (got == 0)
            return;
    }
    poller_.again(socket_.number());
}

std::size_t Stream::parse(Bytes bytes)
{
    std::size_t used = 0;
    if (!greeted_) {
        if (bytes.size() < kGreetingBytes)
            return 0;
        greeted_ = true;
        owner_->greeted(*this, read_greeting(bytes.data()));
        used = kGreetingBytes;
    }
    while (bytes.size() - used >= kFrameBytes) {
        const Frame frame = read_frame(bytes.data() + used);
        const std::size_t whole = kFrameBytes + frame.length;
        if (bytes.size() - used < whole)
            break;
        const Bytes data = bytes.subspan(used + kFrameBytes, frame.length);
        used += whole;
        owner_->arrived(*this, frame, data, goes_on(frame, bytes.subspan(used)));
    }
    return used;
}

void Stream::greet(const Greeting &greeting)
{
    Pending one;
    write_greeting(greeting, one.bytes.data());
    one.length = kGreetingBytes;
    said_ = true;
    put(std::move(one));
    flush();
}

void Stream::send(const Frame &frame, std::shared_ptr<Chunk> chunk)
{
    Pending one;
    write_frame(frame, chunk ? chunk->frame.get() : one.bytes.data());
    one.length = kFrameBytes + (chunk ? chunk->length : 0);
    one.chunk = std::move(chunk);
    put(std::move(one));
}

void Stream::put(Pending what)
{
    pending_ = std::move(what);
    write();
}

void Stream::write()
{
    const std::uint8_t *const from =
        pending_->chunk ? pending_->chunk->frame.get() : pending_->bytes.data();
    unsent_ = true;
    if (!tls_->write({from, pending_->length})) {
        full_ = true;
        return;
    }
    spoke_ = now();
    pending_.reset();
}

void Stream::flush()
{
    if (unsent_ && !full_)
        full_ = !tls_->flush();
    unsent_ = unsent_ && full_;
}

void Stream::take_leave()
{
    if (tls_ && !pending_)
        tls_->close();
}

} // namespace rankwise::relay
