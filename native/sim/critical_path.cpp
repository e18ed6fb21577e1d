#include "reports.h"

#include "json.h"
#include <algorithm>
#include <array>
#include <ostream>

namespace rankwise::sim
{

namespace
{

using What = PathPart::What;
constexpr std::array<const char *, 7> kNames = {
    "compute", "send_overhead", "receive_overhead", "latency", "transfer", "contention", "wait"};
constexpr std::size_t kMostParts = 10'000;

What what_of(Doing doing)
{
    switch (doing) {
    case Doing::compute:
        return What::compute;
    case Doing::send:
        return What::send_overhead;
    default:
        return What::receive_overhead;
    }
}

/// Goes back from the last instant to what it waited for, and so on.
class Walk
{
  public:
    explicit Walk(const Record &record) : record_(record)
    {
    }
    std::vector<PathPart> from(std::uint32_t rank, Time end)
    {
        rank_ = rank;
        at_ = end;
        left_.resize(record_.activities.size());
        for (std::size_t r = 0; r < left_.size(); r++)
            left_[r] = record_.activities[r].size();
        while (at_ > 0 && step()) {
        }
        if (at_ > 0)
            part(What::wait, rank_, rank_, 0);
        std::ranges::reverse(path_);
        return std::move(path_);
    }

  private:
    void part(What what, std::uint32_t rank, std::uint32_t other, Time begin)
    {
        begin = std::clamp<Time>(begin, 0, at_);
        if (begin < at_)
            path_.push_back({what, rank, other, begin, at_});
        at_ = begin;
    }
    /// False: nothing was before.
    bool step()
    {
        const std::vector<Activity> &all = record_.activities[rank_];
        std::size_t &left = left_[rank_];
        while (left > 0 && all[left - 1].end > at_)
            left--;
        if (left == 0)
            return false;
        const Activity &last = all[--left];
        if (last.end < at_)
            part(What::wait, rank_, rank_, last.end);
        if (last.doing != Doing::sent)
            part(what_of(last.doing), rank_, rank_, last.begin);
        const bool from_message = last.doing == Doing::receive || last.doing == Doing::sent;
        if (from_message && last.message != kNone)
            follow(record_.messages[last.message], last.doing == Doing::sent);
        return true;
    }
    /// Go on where a message came from, if it was what the rank waited for.
    void follow(const MessageRecord &message, bool at_sender)
    {
        if ((at_sender ? message.end : message.arrival) != at_)
            return; // the processor was busy
        if (!at_sender)
            part(What::latency, message.source, message.destination, message.end);
        part(What::contention, message.source, message.destination, message.begin + message.alone);
        part(What::transfer, message.source, message.destination, message.begin);
        const bool receiver_late = !message.eager && message.received != kNever &&
                                   message.received > message.sent &&
                                   at_ - message.received < (at_ - message.sent) / 2;
        const Time since = receiver_late ? message.received : message.sent;
        part(message.eager ? What::contention : What::latency, message.source, message.destination,
             since);
        rank_ = receiver_late ? message.destination : message.source;
    }

    const Record &record_;
    std::vector<PathPart> path_;
    std::vector<std::size_t> left_;
    std::uint32_t rank_ = 0;
    Time at_ = 0;
};

} // namespace

std::vector<PathPart> critical_path(const Record &record, const std::vector<Time> &finish)
{
    const auto last = std::ranges::max_element(finish);
    if (last == finish.end())
        return {};
    return Walk(record).from(static_cast<std::uint32_t>(last - finish.begin()), *last);
}

void write_critical_path(std::ostream &out, const std::vector<PathPart> &path)
{
    std::array<Time, kNames.size()> sums{};
    for (const PathPart &part : path)
        sums[static_cast<std::size_t>(part.what)] += part.end - part.begin;
    out << ",\n\"critical_path\":{\"parts\":" << path.size() << ",\"seconds\":{";
    for (std::size_t i = 0; i < sums.size(); i++)
        out << (i > 0 ? "," : "") << "\"" << kNames[i] << "\":" << seconds(sums[i]);
    out << "},\n\"path\":[";
    const std::size_t first = path.size() - std::min(path.size(), kMostParts);
    for (std::size_t i = first; i < path.size(); i++)
        out << (i > first ? ",\n " : "\n ") << "{\"what\":\""
            << kNames[static_cast<std::size_t>(path[i].what)] << "\",\"rank\":" << path[i].rank
            << ",\"other\":" << path[i].other << ",\"begin\":" << seconds(path[i].begin)
            << ",\"end\":" << seconds(path[i].end) << "}";
    out << "]}";
}

} // namespace rankwise::sim
