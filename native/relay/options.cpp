#include "options.h"

#include "base/error.h"
#include "call.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>

namespace rankwise::relay
{

const char *const kHelp =
    R"(rankwise-relay - carry connections between sites of a joined job that cannot
see one another

usage: rankwise-relay --sites NAME,NAME... --site N --port P --key FILE
                      [--peer N=HOST:PORT]... [options]
       rankwise-relay --help | --version

Runs on a host of each site that the site's other hosts and the other sites'
relays can reach; `rankwise run --join ... --relay` starts it. It has a single
port: processes of the site come there with the job's key, relays by TLS 1.3
with the relays' key. Sites are numbered from 0; a relay connects to those of
lower numbers.

--sites NAME,...   the sites of the job, in its order
--site N           which of them this is
--port P           port to listen at; 0: any free one, named in the first line
                   of output
--key FILE         two lines: the relays' key, 64 hexadecimal digits, and the
                   job's key, up to 39 characters
--peer N=HOST:PORT where the relay of site N listens; one for each lower number
--streams N        TCP connections between two relays, the same on both
                   (default 4, 1 to 64)
--window BYTES     how much of each connection of processes is kept at either
                   end; without it, twice the link's bandwidth-delay product,
                   as TCP measures it, and 4194304 until it is known
--window-max BYTES upper limit of that window (default 33554432)
--pacing yes|no    over links of 1 ms or more, let the kernel pace each stream,
                   at up to twice the highest rate of the link (default yes)
--patience S       seconds to wait for a broken link (default 60)
--spin N           microseconds for which to look for more after something came,
                   before sleeping; 0: sleep at once (default 50)
--until-eof yes    end at the end of the standard input (default no: at SIGTERM)

Exit codes: 0 ended as asked, 1 another relay could not be reached for too long,
2 wrong usage, 3 the host refused something.
)";

namespace
{

std::uint64_t whole(std::string_view name, std::string_view word, std::uint64_t low,
                    std::uint64_t high)
{
    std::uint64_t value = 0;
    const char *const end = word.data() + word.size();
    const auto [read_to, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || read_to != end || value < low || value > high)
        throw input_error(std::string(name) + ": '" + std::string(word) +
                          "' is not a number from " + std::to_string(low) + " to " +
                          std::to_string(high));
    return value;
}

std::vector<std::string> names(std::string_view text)
{
    std::vector<std::string> found;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        found.emplace_back(text.substr(from, to - from));
        from = to + 1;
    }
    return found;
}

void read_keys(Options &options, const std::string &file)
{
    std::ifstream lines(file);
    std::string first;
    if (!lines)
        throw input_error("cannot read " + file + ": " + std::strerror(errno));
    if (!std::getline(lines, first) || !std::getline(lines, options.job_key))
        throw input_error(file + " does not have two lines with a key in each");
    options.key = read_key(first);
    if (options.job_key.empty() || options.job_key.size() >= kJobKeyBytes)
        throw input_error("the second line of " + file + " is not a job's key");
}

void set(Options &options, std::string_view name, std::string_view word)
{
    if (name == "--sites")
        options.sites = names(word);
    else if (name == "--site")
        options.site = static_cast<std::uint32_t>(whole(name, word, 0, 1000));
    else if (name == "--port")
        options.port = static_cast<std::uint16_t>(whole(name, word, 0, 65535));
    else if (name == "--key")
        read_keys(options, std::string(word));
    else if (name == "--streams")
        options.streams = static_cast<std::uint32_t>(whole(name, word, 1, 64));
    else if (name == "--window")
        options.window = whole(name, word, 65536, 1 << 30);
    else if (name == "--window-max")
        options.window_max = whole(name, word, 65536, 1 << 30);
    else if (name == "--pacing" && (word == "yes" || word == "no"))
        options.pacing = word == "yes";
    else if (name == "--patience")
        options.patience_seconds = static_cast<double>(whole(name, word, 1, 86400));
    else if (name == "--spin")
        options.spin_seconds = 1e-6 * static_cast<double>(whole(name, word, 0, 100'000));
    else if (name == "--until-eof" && (word == "yes" || word == "no"))
        options.until_eof = word == "yes";
    else if (name == "--peer" && word.find('=') != std::string_view::npos) {
        const std::size_t at = word.find('=');
        options.peers[static_cast<std::uint32_t>(whole(name, word.substr(0, at), 0, 1000))] =
            word.substr(at + 1);
    } else
        throw input_error("unknown option or value: " + std::string(name) + " " +
                          std::string(word) + "; --help lists them");
}

void check(const Options &options)
{
    if (options.job_key.empty())
        throw input_error("no key is given, and without one nobody is let in", "--key FILE");
    if (options.sites.front().empty() || options.site >= options.sites.size())
        throw input_error(
            "--sites names the sites of the job, and --site is the number of one of them, from 0");
    if (!options.port)
        throw input_error("no port to listen at is given", "--port P");
    for (std::uint32_t site = 0; site < options.sites.size(); site++)
        if ((options.peers.count(site) != 0) != (site < options.site))
            throw input_error("--peer is given for each site of a lower number, and for no other");
}

} // namespace

Options parse_options(int count, char **words)
{
    Options options;
    const std::string_view first = count > 1 ? words[1] : "--help";
    if (first == "--help" || first == "-h")
        return options;
    options.mode = first == "--version" ? Options::Mode::version : Options::Mode::run;
    if (options.mode == Options::Mode::version)
        return options;
    for (int next = 1; next < count; next += 2) {
        if (next + 1 == count)
            throw input_error(std::string(words[next]) + " needs a value");
        set(options, words[next], words[next + 1]);
    }
    check(options);
    return options;
}

} // namespace rankwise::relay
