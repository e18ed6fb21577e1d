// Half of the round trip of small datagrams, without the time they spend in the hosts.
#pragma once
#include "clock.h"
#include "options.h"
#include "socket.h"

#include <vector>

namespace rankwise::probe
{

class DelayTest
{
  public:
    /// `path`: a UDP socket that is connected to a server.
    DelayTest(const Socket &path, const Options &options);

    void run();

    int sent() const
    {
        return sent_;
    }
    int received() const
    {
        return static_cast<int>(delays_.size());
    }
    /// One way, in seconds, at this share (0.5: median) of those received, of which there must be
    /// one.
    double quantile(double share) const;

  private:
    void send();
    void receive();

    const Socket &path_;
    int samples_;
    Nanoseconds interval_;
    int sent_ = 0;
    std::vector<Nanoseconds> delays_; // sorted once the test is over
};

} // namespace rankwise::probe
