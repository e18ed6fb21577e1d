#include "client.h"

#include "control.h"
#include "delay_test.h"
#include "loss_test.h"
#include "rate_test.h"

#include <cstdio>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <vector>

namespace rankwise::probe
{

namespace
{

/// For datagrams whose delay is not known because no delay test was asked for.
constexpr Nanoseconds kUsualPatience = kSecond / 2;

std::string formatted(const char *format, auto... values)
{
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return buffer;
}

std::string object(const DelayTest &test)
{
    if (test.received() == 0)
        return formatted(R"("delay": {"sent": %d, "received": 0})", test.sent());
    return formatted(R"("delay": {"sent": %d, "received": %d, "min_seconds": %.9f, )"
                     R"("p50_seconds": %.9f, "p99_seconds": %.9f, "max_seconds": %.9f})",
                     test.sent(), test.received(), test.quantile(0), test.quantile(0.5),
                     test.quantile(0.99), test.quantile(1));
}

std::string object(const LossTest &test)
{
    return formatted(R"("loss": {"sent": %llu, "received": %llu})",
                     static_cast<unsigned long long>(test.sent()),
                     static_cast<unsigned long long>(test.received()));
}

std::string object(const RateTest &test)
{
    return formatted(R"("rate": {"bytes": %llu, "seconds": %.9f})",
                     static_cast<unsigned long long>(test.bytes()), to_seconds(test.span()));
}

std::string joined(const std::vector<std::string> &objects)
{
    std::string text;
    for (const std::string &one : objects)
        text += (text.empty() ? "" : ", ") + one;
    return "{" + text + "}";
}

} // namespace

std::string measure(const Options &options)
{
    const Nanoseconds deadline = monotonic_now() + from_seconds(options.limit_seconds);
    Control control(Socket::connected(SOCK_STREAM, options.host, options.port, deadline));
    control.socket().set(IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
    const Socket path = Socket::connected(SOCK_DGRAM, options.host, options.port, deadline);
    std::vector<std::string> objects;
    Nanoseconds patience = kUsualPatience;
    if (options.delay_samples > 0) {
        DelayTest test(path, options);
        test.run();
        objects.push_back(object(test));
        if (test.received() > 0)
            patience = kSecond / 10 + from_seconds(4 * test.quantile(1));
    }
    if (options.loss_packets > 0) {
        LossTest test(path, control, options);
        test.run(patience);
        objects.push_back(object(test));
    }
    if (options.rate_seconds > 0) {
        RateTest test(control, options);
        test.run();
        objects.push_back(object(test));
    }
    return joined(objects);
}

void end_server(const Options &options)
{
    Control(Socket::connected(SOCK_STREAM, options.host, options.port, monotonic_now())).say("end");
}

} // namespace rankwise::probe
