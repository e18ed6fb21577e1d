// Engine: sends and receives, from their posting to their completion.
#include "engine.h"

#include <algorithm>
#include <cmath>

namespace rankwise::sim
{

namespace
{

Time overhead_of(Time overhead, double per_byte, std::int64_t bytes)
{
    return per_byte == 0 ? overhead
                         : overhead + static_cast<Time>(per_byte * static_cast<double>(bytes));
}

} // namespace

Time Engine::latency(std::uint32_t number)
{
    const Message &message = messages_[number];
    const CostRange &costs = costs_of(message);
    if (noise_.is_silent())
        return costs.latency;
    Rank &source = ranks_[message.source];
    return static_cast<Time>(static_cast<double>(costs.latency) *
                             noise_.factor(message.source, source.draws++));
}

void Engine::set_costs(Message &message)
{
    const std::uint32_t from = node_of_[message.source], to = node_of_[message.destination];
    const std::uint32_t number =
        from == to ? platform_.same_node : platform_.route(from, to).pair_class;
    const PairClass &pairs = platform_.classes[number];
    message.costs = first_costs_[number];
    while (message.bytes > costs_[message.costs].up_to)
        message.costs++;
    message.flags |= static_cast<std::uint8_t>(kSent | (from == to ? kWithin : 0) |
                                               (message.bytes < pairs.eager_below ? kEager : 0));
}

bool Engine::post_send(std::uint32_t number, Rank &rank, const Operation &operation,
                       std::uint32_t handle)
{
    const std::uint32_t to = rank.base + operation.peer();
    const std::int64_t bytes = operation.bytes();
    outcome_.messages++;
    outcome_.bytes += bytes;
    const bool to_wildcard = !arrivals_.empty() && ranks_[to].has_wildcards;
    std::uint32_t i = to_wildcard ? kNone : messages_.take(number, to, operation.tag(), kPosted);
    const bool matched = i != kNone;
    if (!matched) {
        i = messages_.allocate(number, to, operation.tag());
        if (record_)
            record_->begin(i);
    }
    Message &message = messages_[i];
    message.bytes = bytes;
    message.send_handle = handle;
    set_costs(message);
    const bool eager = message.flags & kEager;
    const CostRange &costs = costs_of(message);
    const Time begin = rank.time;
    rank.time += overhead_of(costs.send_overhead, costs.send_overhead_byte, bytes);
    if (tape_) [[unlikely]] {
        std::uint32_t &own = tape_->of_rank[number];
        own = tape_->later(own, cost_of(message, Cost::send_overhead));
        Tape::at(tape_->event, i) = own;
    }
    if (record_) {
        MessageRecord &told = record_->of(i);
        told.source = number;
        told.destination = to;
        told.tag = operation.tag();
        told.bytes = bytes;
        told.sent = rank.time;
        told.eager = eager;
        record_->act(number, Doing::send, begin, rank.time, i);
    }
    const bool at_once = eager && is_alone_ && rank.unbegun == 0;
    rank.unbegun += is_alone_ && !at_once;
    if (at_once)
        serve_alone(i, rank.time);
    else if (eager)
        push(rank.time, kBegin, i);
    else if (matched)
        rendezvous(i, {rank.time, own_instant(number)}, {message.time, posted_instant(i)});
    if (!matched)
        message.time = rank.time;
    if (tape_ && !matched) [[unlikely]]
        Tape::at(tape_->posted, i) = tape_->of_rank[number];
    if (to_wildcard) {
        push(after(rank.time, latency(i)), kAnnounce, i);
        if (tape_) [[unlikely]]
            Tape::at(tape_->announced, i) =
                tape_->later(tape_->of_rank[number], cost_of(message, Cost::latency));
    } else if (!matched)
        messages_.keep(i);
    return eager;
}

bool Engine::post_receive(std::uint32_t number, Rank &rank, const Operation &operation,
                          std::uint32_t handle)
{
    const std::uint32_t from =
        operation.peer() == kAnySource ? kAnySource : rank.base + operation.peer();
    if (rank.has_wildcards)
        return post_wildcard(number, rank, from, operation.tag(), handle);
    std::uint32_t i = messages_.take(from, number, operation.tag(), kSent);
    const bool matched = i != kNone;
    if (!matched) {
        i = messages_.allocate(from, number, operation.tag());
        messages_[i].time = rank.time;
        if (record_)
            record_->begin(i);
        if (tape_) [[unlikely]]
            Tape::at(tape_->posted, i) = tape_->of_rank[number];
        messages_.keep(i);
    }
    Message &message = messages_[i];
    message.receive_handle = handle;
    message.flags |= kPosted;
    if (record_)
        record_->of(i).received = rank.time;
    if (message.flags & kArrived)
        return take_arrived(number, rank, i);
    if (matched && !(message.flags & kEager))
        rendezvous(i, {message.time, posted_instant(i)}, {rank.time, own_instant(number)});
    return false;
}

/// The rank's time is now: see run_rank.
bool Engine::post_wildcard(std::uint32_t number, Rank &rank, std::uint32_t source, std::int32_t tag,
                           std::uint32_t handle)
{
    Arrivals &waiting = arrivals_[number];
    const Arrivals::Receive receive{source, tag, handle, own_instant(number), rank.time};
    const auto found = std::ranges::find_if(
        waiting.unexpected, [&](std::uint32_t i) { return receive.takes(messages_[i]); });
    if (found == waiting.unexpected.end()) {
        waiting.posted.push_back(receive);
        return false;
    }
    const std::uint32_t i = *found;
    waiting.unexpected.erase(found);
    Message &message = messages_[i];
    message.receive_handle = handle;
    message.flags |= kPosted;
    if (record_)
        record_->of(i).received = rank.time;
    if (message.flags & kArrived)
        return take_arrived(number, rank, i);
    if (!(message.flags & kEager))
        rendezvous(i, {message.time, posted_instant(i)}, {rank.time, own_instant(number)});
    return false;
}

/// A message is announced to a rank with wildcards: the first receive that takes it gets it.
void Engine::announce(std::uint32_t i)
{
    Message &message = messages_[i];
    Arrivals &waiting = arrivals_[message.destination];
    const auto found = std::ranges::find_if(
        waiting.posted, [&](const Arrivals::Receive &receive) { return receive.takes(message); });
    if (found == waiting.posted.end()) {
        waiting.unexpected.push_back(i);
        return;
    }
    message.receive_handle = found->handle;
    message.flags |= kPosted;
    if (record_)
        record_->of(i).received = found->time;
    const Moment posted{found->time, found->instant};
    waiting.posted.erase(found);
    if (message.flags & kArrived)
        deliver(i);
    else if (!(message.flags & kEager))
        rendezvous(i, {message.time, posted_instant(i)}, posted);
}

bool Engine::take_arrived(std::uint32_t number, Rank &rank, std::uint32_t i)
{
    const Message &message = messages_[i];
    const CostRange &costs = costs_of(message);
    const Time overhead =
        overhead_of(costs.receive_overhead, costs.receive_overhead_byte, message.bytes);
    if (record_)
        record_->act(number, Doing::receive, rank.time, rank.time + overhead, i);
    rank.time += overhead;
    if (tape_) [[unlikely]]
        tape_->of_rank[number] =
            tape_->later(tape_->of_rank[number], cost_of(message, Cost::receive_overhead));
    messages_.release(i);
    return true;
}

/// The request reaches the receiver, its answer comes back when the receive is posted, then data
/// leave.
void Engine::rendezvous(std::uint32_t i, Moment sent, Moment received)
{
    const Time there = latency(i), back = latency(i);
    const Time asked = after(sent.time, there);
    const Time answered = after(std::max(asked, received.time), back);
    push(std::max(now_, answered), kBegin, i);
    if (!tape_)
        return;
    const std::uint32_t cost = cost_of(messages_[i], Cost::latency);
    std::uint32_t &begin = Tape::at(tape_->event, i);
    if (answered < now_)
        begin = tape_->now;
    else if (asked >= received.time)
        begin = tape_->later(sent.instant, cost, 2);
    else
        begin = tape_->later(received.instant, cost);
}

/// The data are there.
void Engine::deliver(std::uint32_t i)
{
    Message &message = messages_[i];
    if (record_)
        record_->of(i).arrival = now_;
    if (!(message.flags & kPosted)) {
        message.flags |= kArrived;
        message.time = now_;
        return;
    }
    const CostRange &costs = costs_of(message);
    const Time overhead =
        overhead_of(costs.receive_overhead, costs.receive_overhead_byte, message.bytes);
    const std::uint32_t rank = message.destination, handle = message.receive_handle;
    const std::uint32_t cost = tape_ ? cost_of(message, Cost::receive_overhead) : kNone;
    messages_.release(i);
    complete(rank, handle, Doing::receive, overhead, i, cost);
}

} // namespace rankwise::sim
