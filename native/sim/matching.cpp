#include "matching.h"

#include <algorithm>
#include <bit>

namespace rankwise::sim
{

Matching::Matching(std::size_t ranks) : buckets_(std::bit_ceil(ranks + 512), kNone)
{
    messages_.reserve(ranks); // what is not touched costs nothing
}

std::uint32_t Matching::allocate(std::uint32_t source, std::uint32_t destination, std::int32_t tag)
{
    std::uint32_t number = free_;
    if (number == kNone) {
        number = static_cast<std::uint32_t>(messages_.size());
        messages_.emplace_back();
    } else {
        free_ = messages_[number].next;
    }
    most_ = std::max(most_, ++live_);
    Message &message = messages_[number];
    message = {};
    message.source = source;
    message.destination = destination;
    message.tag = tag;
    return number;
}

std::uint32_t Matching::take(std::uint32_t source, std::uint32_t destination, std::int32_t tag,
                             MessageFlag flag)
{
    for (std::uint32_t *place = &buckets_[bucket(source, destination, tag)]; *place != kNone;
         place = &messages_[*place].next_key) {
        const std::uint32_t number = *place;
        const Message &message = messages_[number];
        if (message.source != source || message.destination != destination || message.tag != tag)
            continue;
        if (!(message.flags & flag))
            return kNone;
        if (message.next != kNone) {
            Message &next = messages_[message.next];
            next.last = message.last;
            next.next_key = message.next_key;
            *place = message.next;
        } else {
            *place = message.next_key;
        }
        return number;
    }
    return kNone;
}

void Matching::keep(std::uint32_t number)
{
    if (live_ > 2 * buckets_.size())
        grow();
    Message &message = messages_[number];
    message.next = kNone;
    const std::size_t at = bucket(message.source, message.destination, message.tag);
    for (std::uint32_t i = buckets_[at]; i != kNone; i = messages_[i].next_key) {
        Message &first = messages_[i];
        if (first.source != message.source || first.destination != message.destination ||
            first.tag != message.tag)
            continue;
        messages_[first.last].next = number;
        first.last = number;
        return;
    }
    message.last = number;
    message.next_key = buckets_[at];
    buckets_[at] = number;
}

void Matching::grow()
{
    std::vector<std::uint32_t> firsts;
    for (const std::uint32_t bucket : buckets_)
        for (std::uint32_t i = bucket; i != kNone; i = messages_[i].next_key)
            firsts.push_back(i);
    buckets_.assign(4 * buckets_.size(), kNone);
    for (const std::uint32_t i : firsts) {
        Message &first = messages_[i];
        const std::size_t at = bucket(first.source, first.destination, first.tag);
        first.next_key = buckets_[at];
        buckets_[at] = i;
    }
}

} // namespace rankwise::sim
