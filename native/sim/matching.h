// Which send meets which receive, as MPI orders it: messages between two ranks with one tag meet
// receives in the order in which both were posted.
#pragma once
#include "network.h"
#include "program.h"
#include <cstdint>
#include <deque>
#include <vector>

namespace rankwise::sim
{

enum MessageFlag : std::uint8_t {
    kEager = 1,
    kSent = 2,    // the send is posted
    kPosted = 4,  // the receive is
    kArrived = 8, // the data are
    kWithin = 16, // a node
};

/// A message from the posting of its send or its receive, whichever comes first, until it is
/// received.
struct alignas(64) Message {
    std::uint32_t source = 0, destination = 0; // among the ranks of all jobs
    std::int32_t tag = 0;
    std::uint32_t next = kNone, last = kNone, next_key = kNone; // while it is not matched
    std::int64_t bytes = 0;
    Time time = 0; // when the first side was posted; then, of an eager one, when it arrived
    std::uint32_t send_handle = kNone, receive_handle = kNone;
    std::uint32_t costs = 0; // Engine's number of its CostRange
    std::uint8_t flags = 0;
};
static_assert(sizeof(Message) == 64); // a line of the cache

/// Owns the messages. Which send and which receive without wildcards meet follows from the order in
/// which each rank posts them, whenever that happens: they are matched as soon as both are posted.
class Matching
{
  public:
    explicit Matching(std::size_t ranks);

    Message &operator[](std::uint32_t number)
    {
        return messages_[number];
    }
    const Message &operator[](std::uint32_t number) const
    {
        return messages_[number];
    }
    /// Have a message brought near.
    void fetch(std::uint32_t number) const
    {
        __builtin_prefetch(messages_.data() + number, 1);
    }
    /// Have the place brought near where a message of this kind waits for its other side.
    void fetch_bucket(std::uint32_t source, std::uint32_t destination, std::int32_t tag) const
    {
        __builtin_prefetch(&buckets_[bucket(source, destination, tag)]);
    }
    /// Have what waits there brought near.
    void fetch_first(std::uint32_t source, std::uint32_t destination, std::int32_t tag) const
    {
        if (const std::uint32_t first = buckets_[bucket(source, destination, tag)]; first != kNone)
            fetch(first);
    }
    std::uint32_t allocate(std::uint32_t source, std::uint32_t destination, std::int32_t tag);
    void release(std::uint32_t number)
    {
        messages_[number].next = free_;
        messages_[number].flags = 0;
        free_ = number;
        live_--;
    }
    /// Return the oldest message of this kind of which the other side (`flag`) is posted and this
    /// one is not, and forget that it is unmatched; kNone: there is none.
    std::uint32_t take(std::uint32_t source, std::uint32_t destination, std::int32_t tag,
                       MessageFlag flag);
    /// A message waits here for its other side.
    void keep(std::uint32_t number);
    std::uint32_t most() const
    {
        return most_;
    }
    /// Call with the number of each message that still waits for its other side.
    template <typename Visit> void each_unmatched(Visit visit) const
    {
        for (const std::uint32_t bucket : buckets_)
            for (std::uint32_t key = bucket; key != kNone; key = messages_[key].next_key)
                for (std::uint32_t i = key; i != kNone; i = messages_[i].next)
                    visit(messages_[i]);
    }

  private:
    std::size_t bucket(std::uint32_t source, std::uint32_t destination, std::int32_t tag) const
    {
        std::uint64_t hash = destination * 0x9e3779b97f4a7c15ULL ^ source * 0xc2b2ae3d27d4eb4fULL ^
                             static_cast<std::uint32_t>(tag) * 0x165667b19e3779f9ULL;
        hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ULL;
        return static_cast<std::size_t>(hash >> 20) & (buckets_.size() - 1);
    }
    void grow();

    HugeVector<Message> messages_;
    HugeVector<std::uint32_t> buckets_;
    std::uint32_t free_ = kNone, live_ = 0, most_ = 0;
};

/// What waits at a rank that receives from any source or with any tag: there it matters when
/// messages come.
struct Arrivals {
    struct Receive {
        std::uint32_t source; // kAnySource: any
        std::int32_t tag;     // kAnyTag: any
        std::uint32_t handle;
        std::uint32_t instant; // on the tape
        Time time;

        bool takes(const Message &message) const
        {
            return (source == kAnySource || source == message.source) &&
                   (tag == kAnyTag ? message.tag < kCollectiveTags : tag == message.tag);
        }
    };
    std::deque<Receive> posted;           // in the order in which they were
    std::deque<std::uint32_t> unexpected; // messages, as they were announced
};

} // namespace rankwise::sim
