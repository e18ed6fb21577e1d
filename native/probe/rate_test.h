// Payload of one TCP stream, counted where it arrives, once its slow start is over.
#pragma once
#include "control.h"
#include "options.h"

#include <cstdint>

namespace rankwise::probe
{

class RateTest
{
  public:
    RateTest(Control &control, const Options &options);

    void run();

    /// Counted: after what was skipped.
    std::uint64_t bytes() const
    {
        return bytes_;
    }
    Nanoseconds span() const
    {
        return span_;
    }

  private:
    void send_for(Nanoseconds duration, Nanoseconds deadline);

    Control &control_;
    const Options &options_;
    std::uint64_t bytes_ = 0;
    Nanoseconds span_ = 0;
};

} // namespace rankwise::probe
