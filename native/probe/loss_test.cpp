#include "loss_test.h"

#include "base/error.h"
#include "datagram.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <sys/socket.h>
#include <thread>

namespace rankwise::probe
{

namespace
{

/// Sleeping is no finer than this: what is due by then goes out together.
constexpr Nanoseconds kPace = kSecond / 1000;

/// What is overdue by more is sent later, not at once: that many packets would overflow the NIC's
/// queue.
constexpr Nanoseconds kMostOverdue = 2 * kPace;

} // namespace

LossTest::LossTest(const Socket &path, Control &control, const Options &options)
    : path_(path), control_(control), packets_(options.loss_packets),
      packets_per_second_(options.loss_packets_per_second)
{
}

void LossTest::run(Nanoseconds patience)
{
    const Nanoseconds interval = from_seconds(1.0 / packets_per_second_);
    Nanoseconds due = monotonic_now();
    Datagram datagram;
    datagram.kind = Datagram::count;
    for (int number = 0; number < packets_; ++number) {
        due = std::max(due + interval, monotonic_now() - kMostOverdue);
        while (monotonic_now() < due)
            std::this_thread::sleep_for(std::chrono::nanoseconds(kPace));
        datagram.number = static_cast<std::uint32_t>(number);
        if (::send(path_.descriptor(), &datagram, sizeof datagram, 0) == sizeof datagram)
            ++sent_;
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(patience));
    control_.say("count");
    std::istringstream answer(control_.hear());
    std::uint64_t overflowed = 0;
    if (!(answer >> received_ >> overflowed))
        throw host_error("the server went away during the loss test");
    sent_ -= overflowed; // these did come over the path: it is not to blame
}

} // namespace rankwise::probe
