// When to wake up, so as to be in time without waiting busily all the time.
#pragma once
#include "base/virtual_time.h"
#include "link_events.h"
#include <optional>

namespace rankwise
{

/// How much later than planned sleeps end: the bound that a given share of them exceeds, learnt
/// from each of them.
class Oversleep
{
  public:
    Oversleep(double late_share, Time limit);

    void learn(Time late);
    Time bound() const;

  private:
    double late_share_;
    double limit_;
    double bound_;
};

/// A sleep ends late, by some microseconds that depend on the machine and on who else runs. So the
/// emulator wakes up earlier and waits busily: before an event that has to be exact by so much that
/// one sleep in twenty ends late, before a prompt one by what four in five exceed, and never by
/// more than the limit that was asked for. (To spin the whole limit would cost a third of a core at
/// 1 Gbit/s.)
class WakeUp
{
  public:
    explicit WakeUp(Time spin_limit);

    /// When to wake up: before exact and prompt events, and soon after a patient one, which may
    /// wait for company. Nothing: there is nothing to do.
    std::optional<Time> plan(const LinkEvents &events) const;
    /// A sleep that was to end at `planned` did so at `actual`.
    void woke(Time planned, Time actual);
    /// How much earlier a frame came than the sleep ended that it has ended: less than the truth.
    Time least_late() const;
    /// Before an event of this urgency.
    Time margin(Urgency urgency) const;

  private:
    Oversleep exact_;
    Oversleep prompt_;
    Oversleep least_;
};

} // namespace rankwise
