#include "reports.h"

#include "json.h"
#include <algorithm>
#include <charconv>
#include <map>
#include <ostream>

namespace rankwise::sim
{

namespace
{

constexpr std::size_t kMostLosses = 100, kMostFlows = 100'000;

struct Loss {
    std::string json; // the members that say where
    double lost = 0;
};

/// There may be a million of them: streams would take longer than the simulation.
void append_seconds(std::string &out, Time time)
{
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, seconds(time),
                                            std::chars_format::general, 12);
    if (!out.empty())
        out += ',';
    out.append(digits, end);
}

void write_losses(std::ostream &out, const char *name, std::vector<Loss> losses)
{
    std::ranges::stable_sort(losses, std::ranges::greater{}, &Loss::lost);
    out << ",\n\"" << name << "\":[";
    for (std::size_t i = 0; i < std::min(losses.size(), kMostLosses); i++)
        out << (i > 0 ? ",\n " : "\n ") << "{" << losses[i].json
            << ",\"seconds\":" << losses[i].lost / kPicosecondsPerSecond << "}";
    out << "]";
}

void write_contention(std::ostream &out, const Platform &platform, const Outcome &outcome)
{
    std::vector<Loss> links, pairs;
    double sum = 0;
    const std::map<std::uint32_t, double> by_link(outcome.lost_by_resource.begin(),
                                                  outcome.lost_by_resource.end());
    for (const auto &[resource, lost] : by_link)
        links.push_back({"\"link\":" + quoted(name_of_resource(platform, resource)), lost});
    std::vector<std::pair<std::uint64_t, double>> sorted(outcome.lost_by_pair.begin(),
                                                         outcome.lost_by_pair.end());
    std::ranges::sort(sorted);
    for (const auto &[pair, lost] : sorted) {
        pairs.push_back({"\"from\":" + quoted(platform.node_name(pair >> 32)) +
                             ",\"to\":" + quoted(platform.node_name(pair & 0xffffffff)),
                         lost});
        sum += lost;
    }
    out << ",\n\"contention_seconds\":" << sum / kPicosecondsPerSecond;
    write_losses(out, "contention_by_link", std::move(links));
    write_losses(out, "contention_by_pair", std::move(pairs));
}

void write_flows(std::ostream &out, std::uint32_t base, const std::vector<PatternMessage> &pattern,
                 const Record &record)
{
    std::vector<Time> arrival(pattern.size());
    for (const MessageRecord &message : record.messages)
        if (message.source >= base && static_cast<std::size_t>(message.tag) < pattern.size() &&
            pattern[static_cast<std::size_t>(message.tag)].from == message.source - base)
            arrival[static_cast<std::size_t>(message.tag)] = message.arrival;
    out << ",\"flows\":[";
    for (std::size_t i = 0; i < std::min(pattern.size(), kMostFlows); i++)
        out << (i > 0 ? ",\n  " : "\n  ") << "{\"from\":" << pattern[i].from
            << ",\"to\":" << pattern[i].to << ",\"bytes\":" << pattern[i].bytes
            << ",\"start\":" << seconds(pattern[i].start) << ",\"end\":" << seconds(arrival[i])
            << "}";
    out << "]";
}

void write_notices(std::ostream &out, const std::vector<ProgramNotice> &notices)
{
    if (notices.empty())
        return;
    out << ",\"notices\":[";
    for (std::size_t i = 0; i < notices.size(); i++)
        out << (i > 0 ? ",\n  " : "\n  ") << "{\"what\":" << quoted(notices[i].what)
            << ",\"text\":" << quoted(notices[i].text)
            << ",\"remedy\":" << quoted(notices[i].remedy) << "}";
    out << "]";
}

void write_totals(std::ostream &out, std::vector<Time> totals)
{
    std::ranges::sort(totals);
    // The smallest value that at least this share of the runs do not exceed.
    const auto quantile = [&](double share) {
        const double place = std::ceil(share * static_cast<double>(totals.size()));
        return seconds(totals[static_cast<std::size_t>(std::max(place, 1.0)) - 1]);
    };
    out << ",\n\"seeds\":{\"runs\":" << totals.size() << ",\"min\":" << seconds(totals.front())
        << ",\"p50\":" << quantile(0.5) << ",\"p99\":" << quantile(0.99)
        << ",\"max\":" << seconds(totals.back()) << "}";
}

} // namespace

void write_summary(std::ostream &out, const Platform &platform, const std::vector<Job> &jobs,
                   const Outcome &outcome, const std::vector<std::vector<PatternMessage>> &patterns,
                   const Record *record, std::vector<Time> totals, const RunTimes &times)
{
    out.precision(12);
    out << "{\"total_seconds\":" << seconds(outcome.total) << ",\"messages\":" << outcome.messages
        << ",\"bytes\":" << outcome.bytes << ",\"events\":" << outcome.events
        << ",\"unreceived_messages\":" << outcome.unreceived
        << ",\"most_messages_at_once\":" << outcome.most_messages
        << ",\n\"read_seconds\":" << times.read_seconds
        << ",\"simulate_seconds\":" << times.simulate_seconds
        << ",\"cpu_seconds\":" << times.read_cpu_seconds + times.simulate_cpu_seconds
        << ",\"simulate_cpu_seconds\":" << times.simulate_cpu_seconds << ",\n\"jobs\":[";
    std::size_t rank = 0;
    for (std::size_t j = 0; j < jobs.size(); j++) {
        const auto base = static_cast<std::uint32_t>(rank);
        std::string finish;
        out << (j > 0 ? ",\n" : "\n") << "{\"name\":" << quoted(jobs[j].name)
            << ",\"finish_seconds\":[";
        for (std::uint32_t r = 0; r < jobs[j].program->ranks(); r++, rank++)
            append_seconds(finish, outcome.finish[rank]);
        out << finish << "]";
        if (!patterns[j].empty() && record != nullptr)
            write_flows(out, base, patterns[j], *record);
        write_notices(out, jobs[j].program->notices);
        out << "}";
    }
    out << "]";
    write_contention(out, platform, outcome);
    if (!totals.empty())
        write_totals(out, std::move(totals));
}

} // namespace rankwise::sim
