#include "rate_test.h"

#include "base/error.h"
#include <cerrno>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <vector>

namespace rankwise::probe
{

namespace
{

constexpr std::size_t kWriteBytes = 256 << 10;

} // namespace

RateTest::RateTest(Control &control, const Options &options) : control_(control), options_(options)
{
}

void RateTest::run()
{
    control_.say("stream " + std::to_string(from_seconds(options_.rate_skip_seconds)));
    if (control_.hear() != "ready")
        throw host_error("the server does not take a stream");
    send_for(from_seconds(options_.rate_seconds),
             monotonic_now() + from_seconds(options_.limit_seconds));
    std::istringstream answer(control_.hear());
    if (!(answer >> bytes_ >> span_))
        throw host_error("the server went away during the rate test");
}

void RateTest::send_for(Nanoseconds duration, Nanoseconds deadline)
{
    Socket stream = Socket::connected(SOCK_STREAM, options_.host, options_.port, deadline);
    const std::vector<char> data(kWriteBytes);
    const Nanoseconds end = monotonic_now() + duration;
    while (monotonic_now() < end) {
        pollfd ready{stream.descriptor(), POLLOUT, 0};
        const auto left = static_cast<int>((end - monotonic_now()) / (kSecond / 1000)) + 1;
        if (::poll(&ready, 1, left) <= 0)
            continue;
        const auto sent =
            ::send(stream.descriptor(), data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            throw system_error("cannot send the stream");
    }
    // What still waits in buffers would take seconds on a slow path.
    stream.abort();
}

} // namespace rankwise::probe
