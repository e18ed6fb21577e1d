// How much a link between two relays carries at a time, as TCP measures it, and what follows for
// the window of a connection and for pacing.
#pragma once
#include <cstdint>

namespace rankwise::relay
{

/// The least is for links that are so short that relays take longer than the way between them.
inline constexpr std::uint64_t kLeastWindow = 1 << 20, kFirstWindow = 4 << 20;

/// What the kernel knows of a TCP connection, or the sum over several.
struct LinkSample {
    double rate = 0;     // bytes/s that were delivered lately; 0: none yet
    double rtt = 0;      // seconds, the least; 0: not known
    bool limited = true; // there was not always something to send: the link may carry more
};

LinkSample sample_of(int socket);

/// The kernel spreads what the socket sends, up to this rate in bytes/s.
void pace(int socket, double rate);

/// The window, in bytes, with which one connection can fill a link.
///
/// A byte is acknowledged a round trip after it was sent, and then waits until an eighth of the
/// window has gone out (Channel): for rtt + window / (8 rate) in all. Whoever may have a window on
/// its way sends at the rate if window >= rate * (rtt + window / (8 rate)), that is
/// window >= 8/7 rate * rtt. Twice the product leaves room for a round trip that is longer by three
/// quarters: rate * (1.75 rtt + 2 rate * rtt / (8 rate)) = 2 rate * rtt. And where the window is
/// what limits the rate, to rate * rtt = 7/8 window, the next one is 7/4 as large.
std::uint64_t window_for(double rate, double rtt, std::uint64_t most);

/// The window of the last ten to twenty seconds in which the link was full: a pause or small
/// messages say nothing about the link, and make it no smaller.
class LinkMeter
{
  public:
    explicit LinkMeter(std::uint64_t most);

    void add(double time, const LinkSample &sample);
    std::uint64_t window() const;
    /// What each stream may send at most, in bytes/s; 0: as it likes, the link is short or not
    /// known.
    double pacing_rate() const;
    const LinkSample &best() const
    {
        return best_;
    }

  private:
    std::uint64_t most_, newer_, older_ = 0;
    double since_ = 0;
    LinkSample best_; // the greatest rate so far
    double full_rate_ = 0;
};

} // namespace rankwise::relay
