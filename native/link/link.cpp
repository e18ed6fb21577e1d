#include "link.h"

#include <algorithm>
#include <utility>

namespace rankwise
{

Link::Link(const LinkSettings &settings, std::unique_ptr<RateQueue> queue, LinkEvents &events,
           std::uint64_t seed)
    : name_(settings.name), queue_(std::move(queue)), events_(events),
      loss_(settings.loss, settings.loss_burst, seed),
      delay_line_(settings.delay, Jitter(settings.jitter, settings.distribution, seed + 1)),
      least_delay_(std::max<Time>(0, settings.delay - 5 * settings.jitter))
{
}

void Link::accept(PacketPointer packet)
{
    if (!up_)
        counters_.lost_packets += packet->frame.segments();
    else if (loss_.active())
        lose_segments(std::move(packet));
    else
        enqueue(std::move(packet));
}

/// Each segment has its own fate; what is left of a super-packet goes on as one piece per run of
/// survivors, each when its first segment comes.
void Link::lose_segments(PacketPointer packet)
{
    const std::uint32_t segments = packet->frame.segments();
    // The segments are spread evenly between the first and the last.
    const Time gap = segments > 1 ? (packet->last - packet->first) / (segments - 1) : 0;
    std::uint32_t begin = 0;
    const auto send_run = [&](std::uint32_t end) {
        if (end == begin)
            return;
        if (end - begin == segments)
            return enqueue(std::move(packet));
        const Time first = packet->first + gap * begin, last = packet->first + gap * (end - 1);
        auto run = std::make_unique<Packet>(Packet{packet->frame.slice(begin, end - begin),
                                                   packet->source, packet->destination,
                                                   packet->path, packet->hop, first, last});
        if (first == packet->first)
            enqueue(std::move(run));
        else
            events_.push(std::move(run), *this);
    };
    for (std::uint32_t number = 0; number < segments; number++) {
        if (!loss_.next_is_lost())
            continue;
        counters_.lost_packets++;
        send_run(number);
        begin = number + 1;
    }
    send_run(segments);
}

void Link::enqueue(PacketPointer packet)
{
    if (queue_ == nullptr) {
        counters_.packets += packet->frame.segments();
        counters_.bytes += packet->frame.wire_bytes();
    } else {
        packet = queue_->accept(std::move(packet), counters_, *this, events_);
    }
    if (packet != nullptr)
        send_on(std::move(packet));
}

void Link::serve(Time now)
{
    PacketPointer packet = queue_->serve(now, *this, events_);
    if (packet != nullptr)
        send_on(std::move(packet));
}

void Link::send_on(PacketPointer packet)
{
    delay_line_.pass(*packet);
    packet->hop++;
    events_.push(std::move(packet));
}

void Link::set_up(bool up)
{
    up_ = up;
}

bool Link::full(Time now, std::int64_t bytes) const
{
    if (queue_ == nullptr)
        return false;
    const std::int64_t backlog = queue_->backlog_bytes(now);
    return backlog > 0 && backlog + bytes > queue_->limit_bytes();
}

Time Link::least_delay() const
{
    return least_delay_;
}

const std::string &Link::name() const
{
    return name_;
}

const LinkCounters &Link::counters() const
{
    return counters_;
}

void Link::reset_counters()
{
    counters_ = {};
}

} // namespace rankwise
