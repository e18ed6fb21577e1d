// The share of small datagrams, evenly spread over time, that do not arrive.
#pragma once
#include "control.h"
#include "options.h"
#include "socket.h"

#include <cstdint>

namespace rankwise::probe
{

class LossTest
{
  public:
    /// `path`: a UDP socket that is connected to a server; `control` leads to the same.
    LossTest(const Socket &path, Control &control, const Options &options);

    /// `patience`: how long the last datagrams may be on their way.
    void run(Nanoseconds patience);

    std::uint64_t sent() const
    {
        return sent_;
    }
    std::uint64_t received() const
    {
        return received_;
    }

  private:
    const Socket &path_;
    Control &control_;
    int packets_;
    double packets_per_second_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
};

} // namespace rankwise::probe
