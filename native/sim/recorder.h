// What happened in a simulated run, for timelines and the critical path.
#pragma once
#include "network.h"
#include "picoseconds.h"
#include <cstdint>
#include <vector>

namespace rankwise::sim
{

enum class Doing : std::uint8_t { compute, send, receive, sent };

/// What a rank's processor did. `sent` takes no time: the rank was told that a message has left.
struct Activity {
    Time begin = 0, end = 0;
    std::uint32_t message = kNone; // in Record::messages
    Doing doing = Doing::compute;
};

struct MessageRecord {
    std::uint32_t source = 0, destination = 0;
    std::int32_t tag = 0;
    std::int64_t bytes = 0;
    Time sent = kNever;                   // its sender was ready
    Time received = kNever;               // its receive was posted
    Time begin = 0, end = 0, arrival = 0; // of the data: they leave, have left, are there
    Time alone = 0;                       // how long from `begin` to `end` without others
    bool eager = false;
};

/// Everything that happened, if somebody wants to know.
class Record
{
  public:
    explicit Record(std::uint32_t ranks) : activities(ranks)
    {
    }
    void act(std::uint32_t rank, Doing doing, Time begin, Time end, std::uint32_t message = kNone)
    {
        activities[rank].push_back({begin, end, number_of(message), doing});
    }
    /// A message (by its number in Matching, which others will have later) is new.
    void begin(std::uint32_t message)
    {
        if (numbers_.size() <= message)
            numbers_.resize(message + std::size_t{1}, kNone);
        numbers_[message] = static_cast<std::uint32_t>(messages.size());
        messages.emplace_back();
    }
    MessageRecord &of(std::uint32_t message)
    {
        return messages[numbers_[message]];
    }

    std::vector<std::vector<Activity>> activities; // of each rank, in order
    std::vector<MessageRecord> messages;

  private:
    std::uint32_t number_of(std::uint32_t message) const
    {
        return message == kNone ? kNone : numbers_[message];
    }
    std::vector<std::uint32_t> numbers_;
};

} // namespace rankwise::sim
