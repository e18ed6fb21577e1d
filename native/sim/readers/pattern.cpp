// Patterns: `from to bytes [start]` a line, the start in seconds.
#include "readers.h"

#include "text_file.h"
#include <algorithm>
#include <numeric>

namespace rankwise::sim
{

namespace
{

constexpr double kBytesPerMessage = 120;

std::vector<PatternMessage> read_messages(Words &words, const ReaderOptions &options)
{
    std::vector<PatternMessage> messages;
    const auto last = static_cast<std::int64_t>(options.most_ranks) - 1;
    while (words.next("#")) {
        if (words.count() < 3 || words.count() > 4)
            words.fail("expected: from to bytes [start in seconds]");
        PatternMessage message;
        message.from = static_cast<std::uint32_t>(words.number(words[0], "a rank", 0, last));
        message.to = static_cast<std::uint32_t>(words.number(words[1], "a rank", 0, last));
        message.bytes = words.bytes(words[2]);
        if (words.count() == 4)
            message.start = from_seconds(words.real(words[3], "a start", 0, kLongestSeconds));
        if (messages.size() == static_cast<std::size_t>(kCollectiveTags))
            words.fail("a pattern has at most 2^30 messages");
        messages.push_back(message);
    }
    return messages;
}

} // namespace

ReadProgram read_pattern(std::string_view text, const std::string &file_name,
                         const ReaderOptions &options)
{
    check_memory(kBytesPerMessage * static_cast<double>(std::ranges::count(text, '\n')), file_name,
                 options);
    Words words(text, file_name);
    ReadProgram made;
    made.format = "pattern";
    made.pattern = read_messages(words, options);
    std::uint32_t ranks = 0;
    for (const PatternMessage &message : made.pattern)
        ranks = std::max({ranks, message.from + 1, message.to + 1});
    check_memory(kBytesPerRank * ranks, file_name, options);
    made.program = Program(ranks);
    std::vector<std::uint32_t> requests(ranks);
    const auto add = [&](std::uint32_t rank, Kind kind, std::uint32_t peer, std::uint32_t number) {
        if (requests[rank] == kMostRequests)
            words.fail("rank " + std::to_string(rank) + " has more than 2^20 messages");
        made.program.add(rank, Operation::message(kind, peer, static_cast<std::int32_t>(number),
                                                  made.pattern[number].bytes, requests[rank]++));
    };
    std::vector<std::uint32_t> order(made.pattern.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return made.pattern[i].start; });
    for (const std::uint32_t i : order)
        add(made.pattern[i].to, Kind::ireceive, made.pattern[i].from, i);
    for (const std::uint32_t i : order) {
        if (made.pattern[i].start > 0)
            made.program.add(made.pattern[i].from, Operation::until(made.pattern[i].start));
        add(made.pattern[i].from, Kind::isend, made.pattern[i].to, i);
    }
    for (std::uint32_t rank = 0; rank < ranks; rank++)
        made.program.add(rank, Operation::wait_all());
    return made;
}

} // namespace rankwise::sim
