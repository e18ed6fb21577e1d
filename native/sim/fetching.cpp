// Engine: what the next events will need is brought near before they come.
#include "engine.h"

#include <algorithm>

namespace rankwise::sim
{

/// Thousands of ranks are visited in no order that a processor would foresee.
void Engine::fetch_ahead() const
{
    constexpr std::size_t kFar = 12, kNear = 5;
    if (const Event *far = events_.ahead(kFar); far != nullptr && is_of_message(*far))
        messages_.fetch(far->what);
    if (is_large_)
        fetch_chains();
    const Event *near = events_.ahead(kNear);
    if (near == nullptr)
        return;
    if (near->kind == kBegin && shares_) {
        const Message &message = messages_[near->what];
        __builtin_prefetch(&servers_[node_of_[message.source]], 1);
        __builtin_prefetch(&servers_[platform_.nodes.size() + node_of_[message.destination]], 1);
    } else if (near->kind == kDeliver) {
        __builtin_prefetch(&ranks_[messages_[near->what].destination], 1);
    }
}

/// Where all ranks together fit into no cache, what a message sets off is fetched step by step: its
/// receiver, what that does next, and, of a send, the receive that waits for it.
void Engine::fetch_chains() const
{
    constexpr std::size_t kMessage = 28, kRank = 21, kOperation = 15, kBucket = 9, kReceive = 4;
    if (const Event *event = events_.ahead(kMessage); event != nullptr && is_of_message(*event))
        messages_.fetch(event->what);
    const auto receiver = [this](std::size_t ahead) -> std::uint32_t {
        const Event *event = events_.ahead(ahead);
        return event != nullptr && event->kind == kDeliver ? messages_[event->what].destination
                                                           : kNone;
    };
    if (const Event *event = events_.ahead(kRank); event != nullptr && event->kind == kBegin) {
        __builtin_prefetch(&node_of_[messages_[event->what].source]);
        __builtin_prefetch(&node_of_[messages_[event->what].destination]);
    } else if (const std::uint32_t rank = receiver(kRank); rank != kNone) {
        __builtin_prefetch(&ranks_[rank], 1);
        __builtin_prefetch(&node_of_[rank]);
    }
    if (const std::uint32_t rank = receiver(kOperation); rank != kNone)
        __builtin_prefetch(ranks_[rank].next);
    const auto with_send = [&](std::size_t ahead, auto visit) {
        const std::uint32_t number = receiver(ahead);
        if (number == kNone)
            return;
        const Rank &rank = ranks_[number];
        for (std::uint32_t i = 0; i < std::min(rank.left, 2U); i++) {
            const Operation *one = rank.next + i;
            if (one->kind() == Kind::send || one->kind() == Kind::isend)
                visit(number, rank.base + one->peer(), one->tag());
        }
    };
    with_send(kBucket, [this](std::uint32_t from, std::uint32_t to, std::int32_t tag) {
        messages_.fetch_bucket(from, to, tag);
        __builtin_prefetch(&node_of_[to]);
    });
    with_send(kReceive, [this](std::uint32_t from, std::uint32_t to, std::int32_t tag) {
        messages_.fetch_first(from, to, tag);
    });
}

} // namespace rankwise::sim
