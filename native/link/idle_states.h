// Processors that do not sleep deeply while frames come.
#pragma once
#include "base/descriptor.h"
#include "base/virtual_time.h"
#include <optional>

namespace rankwise
{

/// A processor that idles in a deep state, or that its hypervisor has taken off, wakes up late: by
/// tens of microseconds, and with a long tail. While /dev/cpu_dma_latency is open with 0 in it,
/// idle processors poll. That costs power and shares of a hypervisor's time, so it is held only
/// while there is traffic. Where the file may not be opened (it is root's), all stays as it is.
class IdleStates
{
  public:
    /// Frames have come: no idle states from now on.
    void avoid(Time now);
    /// When to call `permit`, if at all.
    std::optional<Time> until() const;
    /// Idle states again, if it is time.
    void permit(Time now);
    /// Whether that worked at the last frame.
    bool avoided() const;

  private:
    Descriptor request_;
    Time until_ = 0;
    bool refused_ = false;
};

} // namespace rankwise
