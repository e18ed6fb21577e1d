#include "channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace rankwise::relay
{

namespace
{
/// The other side hears what has gone out when an eighth of the window has, or so many frames.
constexpr std::uint64_t kShareOfWindow = 8;
constexpr unsigned kMostUntold = 32;
constexpr std::size_t kFramesInRead = 4;
} // namespace

Channel::Channel(Poller &poller, std::uint32_t number, std::uint64_t window, Target target,
                 std::function<void()> wake)
    : poller_(poller), number_(number), target_(target), wake_(std::move(wake)), sent_(window),
      received_(window), sink_([this](Bytes data) { return deliver(data); }), window_(window),
      their_window_(window)
{
}

Channel::~Channel()
{
    if (socket_.is_open())
        poller_.remove(socket_.number());
}

void Channel::watch()
{
    const int one = 1;
    ::setsockopt(socket_.number(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    poller_.add(socket_.number(), [this](std::uint32_t events) { handle(events); });
}

void Channel::caller(Descriptor socket)
{
    socket_ = std::move(socket);
    calls_ = open_due_ = true;
    watch();
}

void Channel::call(const sockaddr_in &at)
{
    socket_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    connecting_ = true;
    if (!socket_.is_open() ||
        (::connect(socket_.number(), reinterpret_cast<const sockaddr *>(&at), sizeof at) != 0 &&
         errno != EINPROGRESS)) {
        broken_ = Reason::unreachable;
        wake_();
        return;
    }
    watch();
}

void Channel::connected()
{
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(socket_.number(), SOL_SOCKET, SO_ERROR, &error, &length);
    connecting_ = false;
    if (error != 0) {
        broken_ = Reason::unreachable;
    } else {
        open_ = opened_due_ = true;
    }
    wake_();
}

void Channel::opened()
{
    if (!calls_ || open_)
        return;
    open_ = true;
    if (::send(socket_.number(), "y", 1, MSG_NOSIGNAL) != 1)
        broken_ = Reason::broken;
    wake_();
}

void Channel::asked_again()
{
    if (open_ && !calls_) {
        opened_due_ = true;
        wake_();
    }
}

void Channel::refuse(const std::string &words)
{
    if (!calls_ || open_)
        return;
    const std::string answer = "n" + words + "\n";
    // A process that does not hear this sees its connection end.
    [[maybe_unused]] const auto sent =
        ::send(socket_.number(), answer.data(), answer.size(), MSG_NOSIGNAL);
}

void Channel::handle(std::uint32_t events)
{
    if (connecting_) {
        if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0)
            connected();
        return;
    }
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
        readable_ = true;
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0)
        hung_up_ = true;
    if ((events & EPOLLOUT) != 0 && open_ && !broken_) {
        received_.drain(sink_);
        look_after_delivery();
    }
    wake_();
}

std::size_t Channel::deliver(Bytes data)
{
    if (!open_ || broken_)
        return 0;
    std::size_t done = 0;
    while (done < data.size()) {
        const auto bytes = ::send(socket_.number(), data.data() + done, data.size() - done,
                                  MSG_NOSIGNAL | (more_ ? MSG_MORE : 0));
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes < 0) {
            if (errno != EAGAIN)
                broken_ = Reason::broken;
            break;
        }
        done += static_cast<std::size_t>(bytes);
    }
    return done;
}

void Channel::look_after_delivery()
{
    const std::uint64_t out = received_.delivered();
    if (received_.done() && !std::exchange(shut_, true)) {
        ::shutdown(socket_.number(), SHUT_WR);
        acknowledge_due_ = true;
    }
    if (out - told_ >= their_window_ / kShareOfWindow || (untold_ >= kMostUntold && out > told_))
        acknowledge_due_ = true;
}

void Channel::arrived(const Frame &frame, Bytes data, bool more)
{
    more_ = more;
    if (frame.window > 0)
        their_window_ = frame.window * kWindowUnit;
    sent_.acknowledged(frame.acknowledged);
    if (frame.kind == FrameKind::data) {
        untold_++;
        received_.arrive(frame.offset, data, sink_);
    } else if (frame.kind == FrameKind::end) {
        received_.arrive_end(frame.offset, sink_);
    }
    more_ = false;
    look_after_delivery();
    wake_();
}

void Channel::read()
{
    static std::array<std::uint8_t, kFramesInRead * kMostPayload> scratch; // of the one thread
    while (readable_ && open_ && !broken_) {
        const std::size_t most = std::min(sent_.room(), scratch.size());
        if (most == 0)
            return;
        const auto bytes = ::recv(socket_.number(), scratch.data(), most, MSG_DONTWAIT);
        if (bytes < 0 && errno == EINTR)
            continue;
        if (bytes > 0) {
            // A short read was all there was, and more is told of, but for the end.
            readable_ = static_cast<std::size_t>(bytes) == most || hung_up_;
            for (Bytes rest = Bytes(scratch).first(static_cast<std::size_t>(bytes)); !rest.empty();
                 rest = rest.subspan(std::min(rest.size(), kMostPayload)))
                sent_.add(rest.first(std::min(rest.size(), kMostPayload)));
        } else if (bytes == 0) {
            readable_ = false;
            sent_.finish();
        } else {
            readable_ = false;
            if (errno != EAGAIN)
                broken_ = Reason::broken;
        }
        return;
    }
}

std::optional<std::pair<Frame, std::shared_ptr<Chunk>>> Channel::next()
{
    Frame frame;
    frame.channel = number_;
    frame.acknowledged = received_.delivered();
    frame.window = static_cast<std::uint32_t>(window_ / kWindowUnit);
    std::shared_ptr<Chunk> chunk;
    if (open_due_) {
        open_due_ = false;
        frame.kind = FrameKind::open;
        frame.offset = number_of(target_);
        return std::pair(frame, chunk);
    }
    if (opened_due_) {
        opened_due_ = false;
        frame.kind = FrameKind::opened;
        return std::pair(frame, chunk);
    }
    if (!sent_.has_next())
        read();
    chunk = sent_.next();
    if (!chunk && !acknowledge_due_)
        return std::nullopt;
    frame.kind = !chunk ? FrameKind::acknowledge : chunk->end ? FrameKind::end : FrameKind::data;
    frame.offset = chunk ? chunk->offset : 0;
    frame.length = chunk ? chunk->length : 0;
    acknowledge_due_ = false;
    told_ = frame.acknowledged;
    untold_ = 0;
    return std::pair(frame, std::move(chunk));
}

bool Channel::has_work() const
{
    return open_due_ || opened_due_ || acknowledge_due_ || sent_.has_next() || broken_ ||
           (open_ && readable_ && sent_.room() > 0);
}

void Channel::limit(std::uint64_t window)
{
    window_ = window;
    sent_.limit(window);
    wake_();
}

std::size_t Channel::resume()
{
    acknowledge_due_ = true;
    if (calls_ && !open_)
        open_due_ = true;
    return sent_.rewind();
}

bool Channel::is_over() const
{
    return sent_.done() && received_.done() && told_ == received_.delivered();
}

} // namespace rankwise::relay
