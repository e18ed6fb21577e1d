#include "link_meter.h"

#include <algorithm>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace rankwise::relay
{

namespace
{

constexpr double kPeriodSeconds = 10;
/// On a shorter link bursts are short too, and pacing costs more than it helps.
constexpr double kLeastPacedRtt = 1e-3;
/// A stream may carry all, and more than was seen.
constexpr double kPacingRoom = 2;

} // namespace

LinkSample sample_of(int socket)
{
    tcp_info info{};
    socklen_t length = sizeof info;
    LinkSample sample;
    // An older kernel knows less, and leaves the rest 0.
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
        info.tcpi_delivery_rate == 0 || info.tcpi_min_rtt == 0 || info.tcpi_min_rtt == UINT32_MAX)
        return sample;
    sample.rate = static_cast<double>(info.tcpi_delivery_rate);
    sample.rtt = 1e-6 * info.tcpi_min_rtt;
    sample.limited = info.tcpi_delivery_rate_app_limited != 0;
    return sample;
}

void pace(int socket, double rate)
{
    const auto most = static_cast<std::uint32_t>(std::min(rate, 4e9));
    ::setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &most, sizeof most);
}

std::uint64_t window_for(double rate, double rtt, std::uint64_t most)
{
    const double wanted = 2 * rate * rtt;
    if (wanted >= static_cast<double>(most))
        return most;
    return std::min(most, std::max(kLeastWindow, static_cast<std::uint64_t>(wanted)));
}

LinkMeter::LinkMeter(std::uint64_t most) : most_(most), newer_(std::min(kFirstWindow, most))
{
}

void LinkMeter::add(double time, const LinkSample &sample)
{
    if (sample.rate <= 0 || sample.rtt <= 0)
        return;
    if (!sample.limited) {
        full_rate_ = std::max(full_rate_, sample.rate);
        if (since_ == 0)
            since_ = time;
        if (time - since_ > kPeriodSeconds) {
            older_ = newer_;
            newer_ = 0;
            since_ = time;
        }
    }
    if (sample.rate > best_.rate)
        best_ = sample;
    newer_ = std::max(newer_, window_for(sample.rate, sample.rtt, most_));
}

std::uint64_t LinkMeter::window() const
{
    return std::max(newer_, older_);
}

double LinkMeter::pacing_rate() const
{
    return best_.rtt >= kLeastPacedRtt ? kPacingRoom * full_rate_ : 0;
}

} // namespace rankwise::relay
