#include "wake_up.h"

#include <algorithm>

namespace rankwise
{

namespace
{

constexpr double late_share = 0.05, step_nanoseconds = 500, first_guess_nanoseconds = 20'000;
constexpr Time company_wait = 50'000;

} // namespace

WakeUp::WakeUp(Time spin_limit)
    : spin_limit_(spin_limit),
      margin_(std::min(first_guess_nanoseconds, static_cast<double>(spin_limit)))
{
}

Time WakeUp::margin() const
{
    return static_cast<Time>(margin_);
}

std::optional<Time> WakeUp::plan(const EventQueue &events) const
{
    const std::optional<Time> next = events.next();
    if (!next)
        return std::nullopt;
    Time wake = *next + company_wait;
    if (const auto prompt = events.next(Urgency::prompt))
        wake = std::min(wake, *prompt);
    if (const auto exact = events.next(Urgency::exact))
        wake = std::min(wake, *exact - margin());
    return wake;
}

// Up by much when late, down by little when not: the two balance where the share of late ones is as
// wanted.
void WakeUp::woke(Time planned, Time actual)
{
    if (actual - planned > spin_limit_)
        return; // no margin would have helped
    const double late = static_cast<double>(actual - planned);
    margin_ += step_nanoseconds * (late > margin_ ? 1 - late_share : -late_share);
    margin_ = std::clamp(margin_, 0.0, static_cast<double>(spin_limit_));
}

} // namespace rankwise
