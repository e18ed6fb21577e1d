#include "options.h"

#include "base/error.h"
#include <charconv>
#include <functional>
#include <map>
#include <string_view>

namespace rankwise::probe
{

const char *const kHelp =
    R"(rankwise-probe - measure delay, rate and loss of the path between two hosts

usage: rankwise-probe serve [--port N] [--limit S] [--background yes]
       rankwise-probe measure HOST [--port N] [--limit S] [tests]
       rankwise-probe end HOST [--port N]
       rankwise-probe --help | --version

serve     answers one client after another on UDP and TCP port N (default 7733) until it is told to end;
          in the background it returns as soon as clients may come
measure   tests the path to HOST, where `serve` runs or is about to, and prints JSON:
          delay  half of the round trip of small datagrams, without the time they spend in the hosts
          rate   payload of one TCP stream, counted where it arrives
          loss   share of small datagrams that do not arrive
end       ends the server on HOST

tests: --delay-samples N     datagrams sent there and back          (default 500; 0: no such test)
       --delay-interval S    seconds from one to the next           (default 0.002)
       --rate-seconds S      for which the stream sends             (default 2; 0: no such test)
       --rate-skip S         seconds at its beginning left out      (default 1)
       --loss-packets N      datagrams sent one way                 (default 0: no such test)
       --loss-pace N         of them a second                       (default 20000)
       --limit S             end in any case after S seconds        (default 60)

Exit codes: 0 measured, 2 wrong usage, 3 the host could not be reached or the time limit was.
)";

namespace
{

double number(std::string_view name, std::string_view word, double low, double high)
{
    double value = 0;
    const char *const end = word.data() + word.size();
    const auto [read_to, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || read_to != end || !(value >= low && value <= high))
        throw input_error(std::string(name) + ": '" + std::string(word) + "' is no number from " +
                          std::to_string(low) + " to " + std::to_string(high));
    return value;
}

using Setter = std::function<void(std::string_view name, std::string_view word)>;

std::map<std::string_view, Setter> setters(Options &options)
{
    const auto seconds = [](double &target) {
        return [&target](auto name, auto word) { target = number(name, word, 0, 86400); };
    };
    const auto count = [](int &target) {
        return [&target](auto name, auto word) {
            target = static_cast<int>(number(name, word, 0, 1e8));
        };
    };
    return {
        {"--port",
         [&options](auto name, auto word) {
             options.port = static_cast<std::uint16_t>(number(name, word, 1, 65535));
         }},
        {"--background",
         [&options](auto name, auto word) {
             if (word != "yes" && word != "no")
                 throw input_error(std::string(name) + ": say yes or no");
             options.background = word == "yes";
         }},
        {"--limit", seconds(options.limit_seconds)},
        {"--delay-samples", count(options.delay_samples)},
        {"--delay-interval", seconds(options.delay_interval_seconds)},
        {"--rate-seconds", seconds(options.rate_seconds)},
        {"--rate-skip", seconds(options.rate_skip_seconds)},
        {"--loss-packets", count(options.loss_packets)},
        {"--loss-pace",
         [&options](auto name, auto word) {
             options.loss_packets_per_second = number(name, word, 1, 1e7);
         }},
    };
}

} // namespace

Options parse_options(int count, char **words)
{
    Options options;
    const auto known = setters(options);
    int next = 1;
    const std::string_view mode = next < count ? words[next++] : "";
    if (mode == "--help" || mode == "-h")
        return options;
    if (mode == "--version") {
        options.mode = Options::Mode::version;
        return options;
    }
    const std::map<std::string_view, Options::Mode> modes = {
        {"serve", Options::Mode::serve},
        {"measure", Options::Mode::measure},
        {"end", Options::Mode::end},
    };
    const auto chosen = modes.find(mode);
    if (chosen == modes.end())
        throw input_error("say `serve`, `measure HOST` or `end HOST`; --help tells more");
    options.mode = chosen->second;
    if (options.mode != Options::Mode::serve) {
        if (next == count || words[next][0] == '-')
            throw input_error("name the host");
        options.host = words[next++];
    }
    while (next < count) {
        const std::string_view name = words[next++];
        const auto found = known.find(name);
        if (found == known.end())
            throw input_error("unknown option " + std::string(name) + "; --help lists them");
        if (next == count)
            throw input_error(std::string(name) + " needs a value");
        found->second(name, words[next++]);
    }
    return options;
}

} // namespace rankwise::probe
