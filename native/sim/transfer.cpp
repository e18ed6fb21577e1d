// Engine: data on their way, one after another or as flows.
#include "engine.h"

#include <algorithm>
#include <cmath>

namespace rankwise::sim
{

void Engine::begin_transfer(std::uint32_t i)
{
    const Message &message = messages_[i];
    if (is_alone_)
        ranks_[message.source].unbegun--;
    if (record_)
        record_->of(i).begin = now_;
    if (!shares_ || message.flags & kWithin)
        serve_alone(i, now_);
    else if (message.bytes <= platform_.packet_bytes)
        serve(i);
    else if (platform_.model.sharing == Sharing::queues && platform_.model.window > 0)
        queue(i);
    else
        begin_flow(i);
}

/// The last byte leaves at this time; an eager message's sender knows nothing of it.
void Engine::leave_at(std::uint32_t i, Time time, std::uint32_t instant)
{
    if (record_)
        record_->of(i).end = time;
    if (messages_[i].flags & kEager)
        push(after(time, latency(i)), kDeliver, i);
    else
        push(time, kLeft, i);
    if (tape_) [[unlikely]]
        Tape::at(tape_->event, i) =
            messages_[i].flags & kEager
                ? tape_->later(instant, cost_of(messages_[i], Cost::latency))
                : instant;
}

/// Nothing is shared but the rank's own NIC, and within a node not even that.
void Engine::serve_alone(std::uint32_t i, Time begin)
{
    const Message &message = messages_[i];
    const CostRange &costs = costs_of(message);
    const double takes = costs.gap_byte * static_cast<double>(message.bytes);
    if (record_) {
        record_->of(i).begin = begin;
        record_->of(i).alone = static_cast<Time>(takes);
    }
    std::uint32_t instant = tape_ ? tape_->now : 0;
    const auto take = [&] {
        if (tape_) [[unlikely]]
            instant = tape_->later(instant, cost_of(message, Cost::gap_byte),
                                   static_cast<double>(message.bytes));
    };
    if (message.flags & kWithin) {
        take();
        leave_at(i, after(begin, takes), instant);
        return;
    }
    Rank &source = ranks_[message.source];
    if (tape_ && source.nic_free > begin) [[unlikely]]
        instant = tape_->of_nic[message.source];
    take();
    const Time end = after(std::max(begin, source.nic_free), takes);
    source.nic_free = end + costs.gap;
    if (tape_) [[unlikely]]
        tape_->of_nic[message.source] = tape_->later(instant, cost_of(message, Cost::gap));
    leave_at(i, end, instant);
}

/// Each resource passes the message on while it serves it, and serves one message after another. To
/// wait for the sender's own messages before it is no contention.
void Engine::serve(std::uint32_t i)
{
    const Message &message = messages_[i];
    const CostRange &costs = costs_of(message);
    const std::uint32_t from = node_of_[message.source], to = node_of_[message.destination];
    const auto bytes = static_cast<double>(message.bytes);
    const auto nodes = static_cast<std::uint32_t>(platform_.nodes.size());
    const double alone = costs.gap_byte * bytes;
    Time end = now_, last = now_;
    std::uint32_t held_by = from;
    Time longest = 0;
    std::uint32_t instant = tape_ ? tape_->now : 0;
    const auto pass = [&](std::uint32_t resource) {
        Server &server = servers_[resource];
        const double takes = std::max(alone, bytes * server.byte_time);
        const Time duration = static_cast<Time>(takes);
        const Time wanted = std::max(now_, end - duration);
        const Time begin = std::max(wanted, server.busy_until);
        if (resource == from) {
            last = std::max(last, begin + duration);
        } else if (begin - wanted > longest) {
            longest = begin - wanted;
            held_by = resource;
        }
        if (tape_ && after(begin, takes) > end) [[unlikely]]
            instant = served(message, resource, begin == wanted ? tape_->now : kNone);
        end = std::max(end, after(begin, takes));
        server.busy_until = std::max(server.busy_until, end);
        if (tape_) [[unlikely]]
            tape_->of_server[resource] = instant;
        last = std::max(last, wanted + duration);
    };
    pass(from);
    servers_[from].busy_until += costs.gap;
    if (tape_) [[unlikely]]
        tape_->of_server[from] = tape_->later(tape_->of_server[from], cost_of(message, Cost::gap));
    for (const std::uint32_t link : platform_.route(from, to).links)
        pass(2 * nodes + link);
    pass(nodes + to);
    if (record_)
        record_->of(i).alone = last - now_;
    if (end > last)
        lose(from, to, held_by, static_cast<double>(end - last));
    leave_at(i, end, instant);
}

/// The instant at which a resource has served a message that it begins with at `begin`, or when it
/// is free.
[[gnu::cold]] std::uint32_t Engine::served(const Message &message, std::uint32_t resource,
                                           std::uint32_t begin)
{
    const auto bytes = static_cast<double>(message.bytes);
    const double byte_time = servers_[resource].byte_time;
    const std::uint32_t since = begin == kNone ? tape_->of_server[resource] : begin;
    if (byte_time < costs_of(message).gap_byte * (1 - 1e-12))
        return tape_->later(since, cost_of(message, Cost::gap_byte), bytes);
    return tape_->later(since, tape_->rate(resource),
                        -bytes * byte_time * byte_time / kPicosecondsPerSecond);
}

void Engine::queue(std::uint32_t i)
{
    if (!queues_)
        queues_ = std::make_unique<Queues>(platform_, events_, kServed);
    const Message &message = messages_[i];
    const std::uint32_t from = node_of_[message.source], to = node_of_[message.destination];
    const Queues::Data data{i,
                            from,
                            to,
                            message.bytes,
                            costs_of(message).gap_byte,
                            platform_.pair_class(from, to).weight,
                            !(message.flags & kEager)};
    if (record_)
        record_->of(i).alone = static_cast<Time>(queues_->alone(data));
    queues_->begin(now_, data);
}

void Engine::begin_flow(std::uint32_t i)
{
    const Message &message = messages_[i];
    const std::uint32_t from = node_of_[message.source], to = node_of_[message.destination];
    need_network();
    const double weight = platform_.pair_class(from, to).weight;
    const std::uint32_t flow =
        network_->begin(i, from, to, message.bytes, costs_of(message), weight);
    const FlowRoute &route = network_->routes[flow];
    if (record_)
        record_->of(i).alone = static_cast<Time>(route.whole / network_->flows[flow].limit);
    if (tape_) [[unlikely]]
        tape_->begin_flow(*network_, flow, costs_of(message).gap_byte,
                          cost_of(message, Cost::gap_byte));
    bool lone = lone_is_free_;
    for (const std::uint32_t used : route.used())
        lone = lone && network_->resources[used].flows.count() == 1;
    if (lone) {
        Flow &f = network_->flows[flow];
        f.rate = f.limit;
        for (const std::uint32_t used : route.used())
            network_->resources[used].load = f.limit;
        if (tape_) [[unlikely]]
            tape_->note_rate(*network_, flow);
        const Time due = after(now_, whole_picoseconds(route.whole / f.limit));
        f.expected = due;
        push(due, kEnd, flow);
        return;
    }
    model_->started(flow);
    is_unsettled_ = true;
}

void Engine::end_flow(std::uint32_t flow, Time due)
{
    Flow &f = network_->flows[flow];
    const FlowRoute &route = network_->routes[flow];
    if (!f.active || f.expected != due)
        return; // another end was queued since
    const bool was_alone = f.rate == f.limit && f.since == route.start;
    const double left = was_alone ? 0 : network_->remaining(flow);
    if (left > 1 && left > 1e-9 * route.whole) {
        f.expected = kNever;
        expect(flow);
        return;
    }
    if (!was_alone)
        network_->advance(flow); // notes what held it back
    if (tape_) [[unlikely]]
        tape_->now = tape_->end_flow(*network_, flow);
    network_->leave(flow);
    model_->ended(flow);
    bool shared = !lone_is_free_;
    for (const std::uint32_t used : route.used())
        shared = shared || network_->resources[used].flows.count() > 0;
    is_unsettled_ = is_unsettled_ || shared;
    const double lost =
        was_alone ? 0 : static_cast<double>(now_ - route.start) - std::ceil(route.whole / f.limit);
    const std::uint32_t i = route.message;
    network_->forget(flow);
    if (tape_) [[unlikely]]
        Tape::at(tape_->event, i) = tape_->later(tape_->now, cost_of(messages_[i], Cost::latency));
    data_left(i, lost);
}

/// All data of a message that was not alone, after so many picoseconds more than it takes alone.
void Engine::data_left(std::uint32_t i, double lost)
{
    const Message &message = messages_[i];
    if (lost > 1)
        lose(node_of_[message.source], node_of_[message.destination], kNone, lost);
    if (record_)
        record_->of(i).end = now_;
    push(after(now_, latency(i)), kDeliver, i);
    if (!(message.flags & kEager))
        complete(message.source, message.send_handle, Doing::sent, 0, i);
}

void Engine::lose(std::uint32_t source, std::uint32_t destination, std::uint32_t resource,
                  double time)
{
    outcome_.lost_by_pair[std::uint64_t{source} << 32 | destination] += time;
    if (resource != kNone)
        outcome_.lost_by_resource[resource] += time;
}

} // namespace rankwise::sim
