// First in, first out, among packets that take time to come.
#pragma once
#include "base/virtual_time.h"
#include <vector>

namespace rankwise
{

/// What is wholly here before another begins to come leaves before that. What is still coming does
/// not hold others up: their segments go in between.
class FifoOrder
{
  public:
    /// The least time at which something may leave whose first segment is here `now`.
    Time earliest(Time now);
    /// Something comes until `here`, and has left at `gone`.
    void add(Time here, Time gone);

  private:
    struct Coming {
        Time here;
        Time gone;
    };

    std::vector<Coming> coming_;
    Time gone_ = 0; // all that is wholly here
};

} // namespace rankwise
