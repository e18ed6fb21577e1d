#include "delay_test.h"

#include "datagram.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sys/socket.h>

namespace rankwise::probe
{

namespace
{

/// How long the last answers are waited for.
constexpr Nanoseconds kPatience = kSecond;

Nanoseconds stamp_of(msghdr &message)
{
    for (cmsghdr *one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
        if (one->cmsg_level == SOL_SOCKET && one->cmsg_type == SCM_TIMESTAMPNS) {
            timespec time{};
            std::memcpy(&time, CMSG_DATA(one), sizeof time);
            return time.tv_sec * kSecond + time.tv_nsec;
        }
    }
    return stamp_now();
}

} // namespace

DelayTest::DelayTest(const Socket &path, const Options &options)
    : path_(path), samples_(options.delay_samples),
      interval_(from_seconds(options.delay_interval_seconds))
{
    path_.set(SOL_SOCKET, SO_TIMESTAMPNS, 1, "SO_TIMESTAMPNS");
    delays_.reserve(static_cast<std::size_t>(samples_));
}

void DelayTest::run()
{
    const Nanoseconds start = monotonic_now();
    while (sent_ < samples_) {
        const Nanoseconds due = start + sent_ * interval_;
        if (path_.readable_before(due))
            receive();
        else
            send();
    }
    const Nanoseconds end = monotonic_now() + kPatience;
    while (received() < sent_ && path_.readable_before(end))
        receive();
    std::sort(delays_.begin(), delays_.end());
}

void DelayTest::send()
{
    Datagram datagram;
    datagram.number = static_cast<std::uint32_t>(sent_++);
    datagram.sent = stamp_now();
    // What cannot be sent counts as lost.
    ::send(path_.descriptor(), &datagram, sizeof datagram, 0);
}

void DelayTest::receive()
{
    Datagram datagram;
    iovec part{&datagram, sizeof datagram};
    alignas(cmsghdr) char extra[128];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = extra;
    message.msg_controllen = sizeof extra;
    const auto size = ::recvmsg(path_.descriptor(), &message, MSG_DONTWAIT);
    if (size == static_cast<ssize_t>(sizeof datagram) && datagram.kind == Datagram::echo)
        delays_.push_back((stamp_of(message) - datagram.sent - datagram.held) / 2);
}

double DelayTest::quantile(double share) const
{
    const auto last = static_cast<double>(delays_.size() - 1);
    return to_seconds(delays_[static_cast<std::size_t>(std::lround(share * last))]);
}

} // namespace rankwise::probe
