// What helps to wake up in time.
#pragma once

namespace rankwise
{

/// Asks for SCHED_FIFO with the priority (0: not), fine timers and resident memory. Returns whether
/// SCHED_FIFO was granted; without it the emulator works, and its lateness shows in the counters.
bool enter_realtime(int priority);

} // namespace rankwise
