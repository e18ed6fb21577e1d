// Who waits for whom.
#include "engine.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace rankwise::sim
{

namespace
{

constexpr std::size_t kMostTold = 20;

struct Waiting {
    std::uint32_t for_rank; // kAnySource: any
    std::string words;
};

std::string tagged(std::int32_t tag, const Program &program)
{
    return tag == kAnyTag ? "any tag" : "tag " + std::to_string(program.tag_in_file(tag));
}

/// A circle of ranks, each of which waits for the next; empty: there is none.
std::vector<std::uint32_t> circle(const std::map<std::uint32_t, std::vector<Waiting>> &waiting)
{
    std::map<std::uint32_t, std::size_t> place; // on the way from the first rank
    for (const auto &[start, none] : waiting) {
        std::vector<std::uint32_t> way;
        std::uint32_t at = start;
        while (waiting.contains(at) && !place.contains(at)) {
            place[at] = way.size();
            way.push_back(at);
            at = waiting.at(at).front().for_rank;
        }
        const auto met = place.find(at);
        if (met != place.end() && met->second < way.size() && way[met->second] == at)
            return {way.begin() + static_cast<std::ptrdiff_t>(met->second), way.end()};
    }
    return {};
}

} // namespace

std::string deadlock_report(const std::vector<std::string> &names,
                            const std::vector<const Program *> &programs,
                            const std::vector<char> &stuck, const Matching &messages,
                            const std::unordered_map<std::uint32_t, Arrivals> &arrivals)
{
    std::map<std::uint32_t, std::vector<Waiting>> waiting;
    const auto waits = [&](std::uint32_t rank, std::uint32_t other, const std::string &words) {
        if (stuck[rank])
            waiting[rank].push_back({other, words});
    };
    const auto waits_to_send = [&](const Message &message) {
        if (!(message.flags & kEager))
            waits(message.source, message.destination,
                  "rank " + names[message.destination] + " to receive " +
                      std::to_string(message.bytes) + " bytes, " +
                      tagged(message.tag, *programs[message.source]));
    };
    messages.each_unmatched([&](const Message &message) {
        if (message.flags & kSent)
            waits_to_send(message);
        else
            waits(message.destination, message.source,
                  "a message from rank " + names[message.source] + ", " +
                      tagged(message.tag, *programs[message.source]));
    });
    for (const auto &[rank, at] : arrivals) {
        for (const Arrivals::Receive &receive : at.posted)
            waits(
                rank, receive.source,
                "a message from " +
                    (receive.source == kAnySource ? "any rank" : "rank " + names[receive.source]) +
                    ", " + tagged(receive.tag, *programs[rank]));
        for (const std::uint32_t i : at.unexpected)
            waits_to_send(messages[i]);
    }
    std::ostringstream out;
    const auto count = std::ranges::count(stuck, 1);
    out << "deadlock: " << count << " of " << stuck.size() << " ranks wait for ever";
    std::size_t told = 0;
    for (const auto &[rank, reasons] : waiting) {
        if (++told > kMostTold) {
            out << "\n  and " << waiting.size() - kMostTold << " more ranks";
            break;
        }
        out << "\n  rank " << names[rank] << " waits for " << reasons.front().words;
        if (reasons.size() > 1)
            out << " (and for " << reasons.size() - 1 << " more)";
    }
    if (const auto ring = circle(waiting); !ring.empty() && ring.size() <= kMostTold) {
        out << "\n  a circle: ";
        for (const std::uint32_t rank : ring)
            out << names[rank] << " -> ";
        out << names[ring.front()];
    }
    return out.str();
}

} // namespace rankwise::sim
