#include "wake_up.h"

#include <algorithm>

namespace rankwise
{

namespace
{

constexpr double step_nanoseconds = 500;
constexpr Time first_guess = 20'000, company_wait = 50'000;

} // namespace

Oversleep::Oversleep(double late_share, Time limit)
    : late_share_(late_share), limit_(static_cast<double>(limit)),
      bound_(static_cast<double>(std::min(first_guess, limit)))
{
}

// Up by much when late, down by little when not: the two balance where the share of late ones is as
// wanted.
void Oversleep::learn(Time late)
{
    if (static_cast<double>(late) > limit_)
        return; // no margin would have helped
    bound_ +=
        step_nanoseconds * (static_cast<double>(late) > bound_ ? 1 - late_share_ : -late_share_);
    bound_ = std::clamp(bound_, 0.0, limit_);
}

Time Oversleep::bound() const
{
    return static_cast<Time>(bound_);
}

WakeUp::WakeUp(Time spin_limit)
    : exact_(0.05, spin_limit), prompt_(0.8, spin_limit), least_(0.95, spin_limit)
{
}

Time WakeUp::margin(Urgency urgency) const
{
    if (urgency == Urgency::patient)
        return -company_wait;
    return urgency == Urgency::exact ? exact_.bound() : prompt_.bound();
}

Time WakeUp::least_late() const
{
    return least_.bound() / 2; // a timer's interrupt comes later than another process's wake-up
}

std::optional<Time> WakeUp::plan(const LinkEvents &events) const
{
    std::optional<Time> wake;
    for (const Urgency urgency : {Urgency::patient, Urgency::prompt, Urgency::exact}) {
        const std::optional<Time> next = events.next(urgency);
        if (next)
            wake = std::min(wake.value_or(*next - margin(urgency)), *next - margin(urgency));
    }
    return wake;
}

void WakeUp::woke(Time planned, Time actual)
{
    exact_.learn(actual - planned);
    prompt_.learn(actual - planned);
    least_.learn(actual - planned);
}

} // namespace rankwise
