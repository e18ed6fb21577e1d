#include "readers.h"

#include "base/error.h"
#include "text_file.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
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

double lines_of(std::string_view text)
{
    const std::string_view begin = text.substr(0, std::size_t{1} << 20);
    const auto lines = static_cast<double>(std::ranges::count(begin, '\n'));
    return begin.empty()
               ? 0
               : lines * (static_cast<double>(text.size()) / static_cast<double>(begin.size()));
}

std::uint64_t available_memory()
{
    std::ifstream lines("/proc/meminfo");
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("MemAvailable:"))
            return std::stoull(line.substr(13)) * 1024;
    return std::numeric_limits<std::uint64_t>::max();
}

/// A Chakra trace has a file for each rank, NAME.0.et, NAME.1.et, ...: the first stands for all.
static Program read_chakra_files(std::string_view bytes, const std::string &file_name,
                                 const Platform &platform, const ReaderOptions &options)
{
    static constexpr std::string_view first = ".0.et";
    std::vector<std::string_view> ranks = {bytes};
    std::vector<std::unique_ptr<MappedFile>> files;
    if (file_name.ends_with(first)) {
        const std::string stem = file_name.substr(0, file_name.size() - first.size() + 1);
        while (ranks.size() < options.most_ranks) {
            const std::string next = stem + std::to_string(ranks.size()) + ".et";
            if (!std::filesystem::exists(next))
                break;
            files.push_back(std::make_unique<MappedFile>(next));
            ranks.push_back(files.back()->bytes());
        }
    }
    return read_chakra(ranks, file_name, platform, options);
}

/// A file that a list names: its paths begin where the program was started, as smpirun has it, or
/// where the list is. Empty: there is none.
static std::string listed_file(std::string_view word, const std::string &list)
{
    const std::filesystem::path path(word),
        beside = std::filesystem::path(list).parent_path() / path;
    std::error_code none;
    for (const std::filesystem::path &one : {path, beside})
        if (std::filesystem::is_regular_file(one, none))
            return one.string();
    return "";
}

static Program read_list(std::string_view bytes, const std::string &file_name,
                         const Platform &platform, const ReaderOptions &options)
{
    std::vector<std::string> files;
    for (Words words(bytes, file_name); words.next("#");) {
        files.push_back(words.count() == 1 ? listed_file(words[0], file_name) : "");
        if (files.back().empty())
            words.fail("there is no file " + shown(words[0]) + " with the trace of a rank");
    }
    return read_time_independent_list(files, file_name, platform, options);
}

ReadProgram read_program(std::string_view bytes, const std::string &file_name,
                         const Platform &platform, const ReaderOptions &options)
{
    std::uint64_t magic = 0;
    if (bytes.size() >= sizeof magic)
        std::memcpy(&magic, bytes.data(), sizeof magic);
    if (magic == kGoalMagic)
        return {read_goal_binary(bytes, file_name, options), {}, "GOAL binary"};
    if (file_name.ends_with(".et"))
        return {read_chakra_files(bytes, file_name, platform, options), {}, "Chakra"};
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
    if (words.count() >= 2 && is_number(words[0]) && is_number(words[1]))
        return read_pattern(bytes, file_name, options);
    if (words.count() >= 2 && is_number(words[0]))
        return {read_time_independent(bytes, file_name, platform, options),
                {},
                "time-independent trace"};
    if (words.count() == 1 && !listed_file(words[0], file_name).empty())
        return {read_list(bytes, file_name, platform, options), {}, "time-independent trace"};
    words.fail("this is none of the formats: GOAL (num_ranks ...), a time-independent trace "
               "(0 send 1 ...), a pattern (from to bytes start), a collective operation ({...})");
}

} // namespace rankwise::sim
