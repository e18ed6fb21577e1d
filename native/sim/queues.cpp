#include "queues.h"

#include <algorithm>
#include <utility>

namespace rankwise::sim
{

namespace
{

/// Of a window: small enough that flows take turns, large enough that there are few. Small patterns
/// are predicted about as well with chunks of half that.
constexpr double kChunkShare = 0.125, kFirstShare = 0.25;
constexpr std::int64_t kMostChunks = 1 << 16; // of a message: even an absurd one comes to an end

} // namespace

Queues::Queues(const Platform &platform, EventLanes &events, std::uint32_t served)
    : platform_(platform), events_(events), served_(served),
      chunk_bytes_(std::max({std::int64_t{1}, platform.packet_bytes,
                             static_cast<std::int64_t>(kChunkShare * platform.model.window)}))
{
    const std::size_t nodes = platform.nodes.size();
    resources_.resize(2 * nodes + platform.links.size());
    lost_.resize(resources_.size());
    for (std::size_t i = 0; i < nodes; i++) {
        resources_[i].byte_time = kPicosecondsPerSecond / platform.nodes[i].out;
        resources_[nodes + i].byte_time = kPicosecondsPerSecond / platform.nodes[i].in;
    }
    for (std::size_t i = 0; i < platform.links.size(); i++)
        resources_[2 * nodes + i].byte_time = kPicosecondsPerSecond / platform.links[i].rate;
    if (has_bus())
        bus_free_.assign(nodes, 0);
}

double Queues::alone(const Data &data) const
{
    FlowRoute route;
    find_path(platform_, data.from, data.to, route);
    return byte_time(data, route) * static_cast<double>(data.bytes);
}

double Queues::byte_time(const Data &data, const FlowRoute &route) const
{
    double longest = data.gap_byte;
    for (const std::uint32_t used : route.used())
        longest = std::max(longest, resources_[used].byte_time);
    return longest;
}

void Queues::begin(Time now, const Data &data)
{
    const std::uint32_t number = transfers_.take();
    Transfer &one = transfers_[number];
    one.data = data;
    for (const std::uint32_t link : platform_.route(data.to, data.from).links)
        one.back.resources[one.back.count++] =
            static_cast<std::uint32_t>(2 * platform_.nodes.size()) + link;
    find_path(platform_, data.from, data.to, one.route);
    one.unsent = one.unreceived = data.bytes;
    one.chunk = std::max(chunk_bytes_, data.bytes / kMostChunks);
    one.whole_window = static_cast<std::int64_t>(data.weight * platform_.model.window);
    one.window = static_cast<std::int64_t>(kFirstShare * static_cast<double>(one.whole_window));
    one.byte_time = byte_time(data, one.route);
    one.paced = one.begun = one.reached = now;
    if (!data.asks)
        return send(now, number);
    one.stage = Stage::request;
    append(now, number, 0);
}

/// Send what the window has room for; one chunk in any case.
void Queues::send(Time now, std::uint32_t transfer)
{
    for (;;) {
        Transfer &one = transfers_[transfer];
        const std::int64_t bytes = std::min(one.unsent, one.chunk);
        if (bytes == 0 || (one.under_way > 0 && one.under_way + bytes > one.window))
            return;
        one.unsent -= bytes;
        one.under_way += bytes;
        append(now, transfer, bytes);
    }
}

void Queues::append(Time now, std::uint32_t transfer, std::int64_t bytes)
{
    const std::uint32_t number = chunks_.take();
    chunks_[number].transfer = transfer;
    chunks_[number].bytes = bytes;
    wait(now, number);
}

void Queues::acknowledge(Time now, std::uint32_t transfer, std::int64_t bytes)
{
    const std::uint32_t number = chunks_.take();
    chunks_[number].transfer = transfer;
    chunks_[number].acknowledges = bytes;
    transfers_[transfer].unacknowledged++;
    wait(now, number);
}

/// So many bytes of the window are free again.
void Queues::make_room(Time now, std::uint32_t transfer, std::int64_t bytes)
{
    Transfer &one = transfers_[transfer];
    one.under_way -= bytes;
    one.window = std::min(one.whole_window, one.window + bytes);
    send(now, transfer);
}

/// Join the queue of the next resource on the way.
void Queues::wait(Time now, std::uint32_t number)
{
    Chunk &chunk = chunks_[number];
    const std::uint32_t at = route_of(chunk).resources[chunk.hop];
    Resource &resource = resources_[at];
    chunk.since = now;
    chunk.next = kNone;
    (resource.last == kNone ? resource.first : chunks_[resource.last].next) = number;
    resource.last = number;
    serve(now, at);
}

/// What a node may send at once after it has sent and received little is a chunk.
void Queues::take_bus(Time now, std::uint32_t node, std::int64_t bytes)
{
    const double byte_time = resources_[node].byte_time / platform_.model.kappa;
    const Time earliest = now - static_cast<Time>(byte_time * static_cast<double>(chunk_bytes_));
    bus_free_[node] =
        after(std::max(bus_free_[node], earliest), byte_time * static_cast<double>(bytes));
}

/// Begin with the next chunk, if there is one and nothing is in its way.
void Queues::serve(Time now, std::uint32_t at)
{
    Resource &resource = resources_[at];
    if (resource.is_busy || resource.first == kNone)
        return;
    resource.is_busy = true;
    const bool sends = at < platform_.nodes.size();
    if (sends && has_bus() && bus_free_[at] > now) {
        events_.push(now, bus_free_[at], served_, at);
        return;
    }
    const std::uint32_t number = resource.first;
    Chunk &chunk = chunks_[number];
    Transfer &one = transfers_[chunk.transfer];
    resource.first = chunk.next;
    if (resource.first == kNone)
        resource.last = kNone;
    if (now - chunk.since > chunk.longest) {
        chunk.longest = now - chunk.since;
        chunk.held_by = at;
    }
    if (sends && has_bus())
        take_bus(now, at, chunk.bytes);
    const auto bytes = static_cast<double>(chunk.bytes);
    if (chunk.hop == 0 && !chunk.acknowledges)
        chunk.whole = one.paced = after(std::max(one.paced, now), one.byte_time * bytes);
    // Where it trickles in from something slower, others are served in between.
    const Time free = after(now, resource.byte_time * bytes);
    chunk.whole = std::max(chunk.whole, free);
    events_.push(now, free, served_, at);
    if (++chunk.hop < route_of(chunk).count)
        wait(now, number);
    else if (chunk.whole == free)
        resource.delivers = number;
    else
        events_.push(now, chunk.whole, served_,
                     static_cast<std::uint32_t>(resources_.size()) + number);
}

Queues::Ended Queues::handle(Time now, std::uint32_t what)
{
    const auto resources = static_cast<std::uint32_t>(resources_.size());
    if (what >= resources)
        return arrive(now, what - resources);
    Resource &resource = resources_[what];
    resource.is_busy = false;
    Ended ended;
    if (resource.delivers != kNone)
        ended = arrive(now, std::exchange(resource.delivers, kNone));
    serve(now, what);
    return ended;
}

Queues::Ended Queues::arrive(Time now, std::uint32_t number)
{
    const Chunk chunk = chunks_[number];
    chunks_.give_back(number);
    Transfer &one = transfers_[chunk.transfer];
    if (chunk.acknowledges) {
        one.unacknowledged--;
        if (one.unreceived > 0)
            make_room(now, chunk.transfer, chunk.acknowledges);
        else if (one.unacknowledged == 0)
            transfers_.give_back(chunk.transfer);
        return {};
    }
    if (has_bus())
        take_bus(now, one.stage == Stage::answer ? one.data.from : one.data.to, chunk.bytes);
    const double late =
        static_cast<double>(now - one.reached) - one.byte_time * static_cast<double>(chunk.bytes);
    one.reached = now;
    if (late > 1 && chunk.held_by != kNone)
        lost_[chunk.held_by] += late;
    if (one.stage == Stage::request) {
        one.stage = Stage::answer;
        find_path(platform_, one.data.to, one.data.from, one.route);
        append(now, chunk.transfer, 0);
        return {};
    }
    if (one.stage == Stage::answer) {
        one.stage = Stage::data;
        find_path(platform_, one.data.from, one.data.to, one.route);
        one.paced = now;
        send(now, chunk.transfer);
        return {};
    }
    one.unreceived -= chunk.bytes;
    if (one.unreceived > 0) {
        if (one.back.count > 0)
            acknowledge(now, chunk.transfer, chunk.bytes);
        else
            make_room(now, chunk.transfer, chunk.bytes);
        return {};
    }
    if (one.unacknowledged == 0)
        transfers_.give_back(chunk.transfer);
    const double took = static_cast<double>(now - one.begun);
    return {one.data.message, took - one.byte_time * static_cast<double>(one.data.bytes)};
}

} // namespace rankwise::sim
