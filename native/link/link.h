// One direction of a link: loss, then a queue served at a rate, then a delay line.
#pragma once
#include "base/network_file.h"
#include "delay_line.h"
#include "link_counters.h"
#include "link_events.h"
#include "loss.h"
#include "packet.h"
#include "rate_queue.h"
#include <cstdint>
#include <memory>
#include <string>

namespace rankwise
{

/// Effects in the order in which a packet meets them. May be part of many paths: then they share
/// it.
class Link
{
  public:
    /// `queue`: null for an unlimited rate.
    Link(const LinkSettings &settings, std::unique_ptr<RateQueue> queue, LinkEvents &events,
         std::uint64_t seed);

    /// At the time `packet->first`. What is not lost or dropped goes on, now or when it has been
    /// served.
    void accept(PacketPointer packet);
    /// At the time `packet->first`: of the packets that were not lost.
    void enqueue(PacketPointer packet);
    /// The time has come that the queue asked for.
    void serve(Time now);

    /// Down: what comes is lost. What is in the queue or on the way is not.
    void set_up(bool up);
    /// Tell whether a packet of that many bytes has to wait for room. An empty queue never is full:
    /// what it could not even hold alone is to be dropped, and counted, not to wait for ever.
    bool full(Time now, std::int64_t bytes) const;
    /// What it adds to the time of a packet at least, but for the rarest jitter.
    Time least_delay() const;
    const std::string &name() const;
    const LinkCounters &counters() const;
    void reset_counters();

  private:
    void lose_segments(PacketPointer packet);
    void send_on(PacketPointer packet);

    std::string name_;
    std::unique_ptr<RateQueue> queue_;
    LinkEvents &events_;
    Loss loss_;
    DelayLine delay_line_;
    LinkCounters counters_;
    Time least_delay_;
    bool up_ = true;
};

} // namespace rankwise
