// Programs from files. Every reader throws Error (exit code 2) with the file, the line and the
// reason for what it cannot take, and Error (exit code 3) for what needs more memory than there is,
// before it takes any.
#pragma once
#include "../platform.h"
#include "../program.h"
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankwise::sim
{

/// A message of a pattern file; its program uses the message's number for a tag.
struct PatternMessage {
    std::uint32_t from = 0, to = 0;
    std::int64_t bytes = 0;
    Time start = 0;
};

struct ReadProgram {
    Program program{0};
    std::vector<PatternMessage> pattern; // of a pattern file
    std::string format;
};

/// The algorithm of a collective operation, by the operation's name.
using Algorithms = std::map<std::string, std::string, std::less<>>;

struct ReaderOptions {
    Algorithms algorithms;
    std::uint64_t memory_bytes = UINT64_MAX; // that may be taken
    std::size_t most_ranks = 1 << 26;
    bool is_mapped = false; // the text is a MappedFile's, whose pages may be given back
};

/// Read a program; the format is known by what the file begins with.
ReadProgram read_program(std::string_view bytes, const std::string &file_name,
                         const Platform &platform, const ReaderOptions &options);

Program read_goal_text(std::string_view text, const std::string &file_name,
                       const ReaderOptions &options);
Program read_goal_binary(std::string_view bytes, const std::string &file_name,
                         const ReaderOptions &options);
Program read_time_independent(std::string_view text, const std::string &file_name,
                              const Platform &platform, const ReaderOptions &options);
/// Each rank is in one of the files.
Program read_time_independent_list(const std::vector<std::string> &files,
                                   const std::string &file_name, const Platform &platform,
                                   const ReaderOptions &options);
/// `files` are those of rank 0, 1, ...
Program read_chakra(const std::vector<std::string_view> &files, const std::string &file_name,
                    const Platform &platform, const ReaderOptions &options);
ReadProgram read_pattern(std::string_view text, const std::string &file_name,
                         const ReaderOptions &options);
Program read_collective(std::string_view text, const std::string &file_name,
                        const Platform &platform, const ReaderOptions &options);

/// What a rank needs without its operations.
inline constexpr double kBytesPerRank = 250;

/// Throw Error (exit code 3) if this many bytes are more than there may be.
void check_memory(double bytes, const std::string &file_name, const ReaderOptions &options);
/// Return how many lines a text has; that of a large one from its begin.
double lines_of(std::string_view text);
/// Return how much memory this machine has to spare.
std::uint64_t available_memory();

} // namespace rankwise::sim
