#include "shell_words.h"

#include <cstddef>
#include <string_view>

namespace rankwise
{

namespace
{

constexpr std::string_view kWithArgument = "BDEFIJLOPQRSWbceilmopw"; // of ssh's options

using Words = std::vector<std::string>;

// Skips options from `at` on; false if one lacks its argument.
bool skip_options(const Words &words, std::size_t &at, ShellCommand &command)
{
    for (; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
        if (words[at] == "--") {
            ++at;
            return true;
        }
        for (std::size_t i = 1; i < words[at].size(); ++i) {
            const char option = words[at][i];
            command.without_input = command.without_input || option == 'n';
            if (kWithArgument.find(option) == std::string_view::npos)
                continue;
            if (i + 1 == words[at].size() && ++at == words.size())
                return false; // the argument would be the next word
            break;
        }
    }
    return true;
}

std::optional<ShellCommand> parse_own(const Words &words)
{
    const bool sets = words[0] == "-s";
    if (words.size() < 3)
        return std::nullopt;
    return ShellCommand{words[1],
                        sets ? RequestKind::setting : RequestKind::run,
                        {words.begin() + 2, words.end()},
                        false};
}

} // namespace

std::optional<ShellCommand> parse_shell_words(const Words &words)
{
    if (!words.empty() && (words[0] == "-e" || words[0] == "-s"))
        return parse_own(words);
    ShellCommand command;
    std::size_t at = 0;
    if (!skip_options(words, at, command) || at == words.size())
        return std::nullopt;
    const std::string &target = words[at++];
    command.host = target.substr(target.rfind('@') + 1);
    if (!skip_options(words, at, command) || at == words.size() || command.host.empty())
        return std::nullopt;
    std::string line = words[at];
    while (++at < words.size())
        line += " " + words[at];
    command.words = {"/bin/sh", "-c", line};
    return command;
}

} // namespace rankwise
