#include "readers.h"

#include "base/error.h"
#include "text_file.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace rankwise::sim
{

namespace
{

constexpr std::uint64_t kGoalMagic = 4223;

bool is_number(std::string_view word)
{
    return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
        return std::isdigit(c) || c == '.' || c == 'e' || c == '-' || c == '+';
    });
}

std::string gibibytes(double bytes)
{
    std::ostringstream out;
    out.precision(3);
    out << bytes / (1 << 30) << " GiB";
    return out.str();
}

} // namespace

void check_memory(double bytes, const std::string &file_name, const ReaderOptions &options)
{
    if (bytes <= static_cast<double>(options.memory_bytes))
        return;
    throw host_error(file_name + ": this needs some " + gibibytes(bytes) + " of memory, and " +
                         gibibytes(static_cast<double>(options.memory_bytes)) + " may be used",
                     "simulate a part of it, fewer ranks or fewer rounds");
}

std::uint64_t available_memory()
{
    std::ifstream lines("/proc/meminfo");
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("MemAvailable:"))
            return std::stoull(line.substr(13)) * 1024;
    return std::numeric_limits<std::uint64_t>::max();
}

ReadProgram read_program(std::string_view bytes, const std::string &file_name,
                         const Platform &platform, const ReaderOptions &options)
{
    std::uint64_t magic = 0;
    if (bytes.size() >= sizeof magic)
        std::memcpy(&magic, bytes.data(), sizeof magic);
    if (magic == kGoalMagic)
        return {read_goal_binary(bytes, file_name, options), {}, "GOAL binary"};
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        throw input_error(file_name + ": the file is empty");
    if (bytes[first] == '{')
        return {read_collective(bytes, file_name, platform, options), {}, "collective"};
    Words words(bytes, file_name);
    std::string_view comment = bytes[first] == '/' ? "//" : "#";
    words.next(comment);
    if (words.count() > 0 && (words[0] == "num_ranks" || words[0].starts_with("/*")))
        return {read_goal_text(bytes, file_name, options), {}, "GOAL"};
    if (words.count() >= 3 && is_number(words[0]) && is_number(words[1]) && is_number(words[2]))
        return read_pattern(bytes, file_name, options);
    if (words.count() >= 2 && is_number(words[0]))
        return {read_time_independent(bytes, file_name, platform, options),
                {},
                "time-independent trace"};
    words.fail("this is none of the formats: GOAL (num_ranks ...), a time-independent trace "
               "(0 send 1 ...), a pattern (from to bytes start), a collective operation ({...})");
}

} // namespace rankwise::sim
