#include "idle_states.h"

#include <cstdint>
#include <fcntl.h>

namespace rankwise
{

namespace
{

constexpr Time held_after_traffic = 200'000'000;

Descriptor hold()
{
    Descriptor file(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
    const std::int32_t microseconds = 0;
    if (file.number() >= 0 && write(file.number(), &microseconds, sizeof microseconds) < 0)
        return Descriptor();
    return file;
}

} // namespace

void IdleStates::avoid(Time now)
{
    until_ = now + held_after_traffic;
    if (request_.number() >= 0 || refused_)
        return;
    request_ = hold();
    refused_ = request_.number() < 0;
}

std::optional<Time> IdleStates::until() const
{
    return request_.number() < 0 ? std::nullopt : std::optional(until_);
}

void IdleStates::permit(Time now)
{
    if (request_.number() >= 0 && now >= until_)
        request_ = Descriptor();
}

bool IdleStates::avoided() const
{
    return until_ > 0 && !refused_;
}

} // namespace rankwise
