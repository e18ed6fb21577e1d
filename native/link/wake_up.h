// When to wake up, so as to be in time without waiting busily all the time.
#pragma once
#include "event_queue.h"
#include "virtual_time.h"
#include <optional>

namespace rankwise
{

/// A sleep ends late, by some microseconds that depend on the machine and on who else runs. So
/// before an event that has to be exact the emulator wakes up earlier and waits busily.
/// How much earlier it learns: by so much that one sleep in twenty ends late, at most the limit
/// that was asked for. (To spin the whole limit would cost a third of a core at 1 Gbit/s.)
class WakeUp
{
  public:
    explicit WakeUp(Time spin_limit);

    /// When to wake up: before an exact event, at a prompt one, and soon after a patient one, which
    /// may wait for company. Nothing: there is nothing to do.
    std::optional<Time> plan(const EventQueue &events) const;
    /// A sleep that was to end at `planned` did so at `actual`.
    void woke(Time planned, Time actual);
    Time margin() const;

  private:
    Time spin_limit_;
    double margin_;
};

} // namespace rankwise
