#include "host_bus.h"

#include <algorithm>
#include <cmath>

namespace rankwise
{

HostBus::HostBus(double rate_bits_per_second) : bytes_per_nanosecond_(rate_bits_per_second / 8e9)
{
}

void HostBus::refill(Time now)
{
    if (now <= filled_)
        return;
    tokens_ += static_cast<double>(now - filled_) * bytes_per_nanosecond_;
    tokens_ = std::min(tokens_, depth_bytes);
    filled_ = now;
}

void HostBus::take(Time now, std::int64_t bytes)
{
    refill(now);
    tokens_ -= static_cast<double>(bytes);
}

Time HostBus::wait(Time now)
{
    refill(now);
    if (tokens_ >= 0)
        return 0;
    return static_cast<Time>(std::min(std::ceil(-tokens_ / bytes_per_nanosecond_), longest_wait));
}

} // namespace rankwise
