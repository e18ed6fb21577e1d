#include "options.h"

#include "base/error.h"
#include <charconv>
#include <cmath>
#include <functional>

namespace rankwise::sim
{

const char *const kUsage =
    "rankwise-sim --platform FILE --job FILE[@nodes=FROM-TO,...]... [options]";
const char *const kManual = R"(NAME
    rankwise-sim - simulate MPI programs on a platform, contention included

SYNOPSIS
    rankwise-sim --platform FILE --job FILE[@nodes=FROM-TO,...]... [options]

DESCRIPTION
    Prints what the jobs would take, as JSON: when each rank ends, the total, and the time lost to contention by link
    and by pair of nodes.

    --platform FILE     nodes, links and costs, as JSON
    --job FILE[@nodes=FROM-TO,...]
                        a program, and the numbers of the nodes that it runs on (default: all), which it fills in
                        equal blocks of ranks. Several jobs run at the same time. FILE is a GOAL schedule (text, or
                        binary as LogGOPSim reads it), a time-independent trace (as SimGrid replays it), a
                        Chakra execution trace (NAME.0.et stands for NAME.1.et and so on too), a pattern
                        (`from to bytes [start]` a line) or a collective operation ({"operation": ...}).
    --algorithm OPERATION=NAME
                        what a trace's collective operations are made of
    --model NAME        queues, alpha-fair, max-min, flow-cuts or none, instead of the platform's
    --tolerance X       of rates, as a share of the capacity (default: the platform's, 1e-3)
    --packet BYTES      messages up to this size are served one after another (default: the platform's, 1500)
    --trace FILE        write a timeline that Perfetto and chrome://tracing show
    --critical-path     tell what the total time is made of
    --derivatives WHICH tell by how many seconds the total time grows with each latency, overhead and rate, a unit of
                        the platform's file each, contention included. Where events coincide the time may have a
                        kink: "any" tells one of the derivatives there, and takes one run; "left" and "right" tell
                        those towards smaller and larger values, and take a run for each parameter
    --seeds N --noise S run N times more with computations and latencies multiplied by random factors
                        (log-normal, S is the standard deviation of the logarithm), and tell quantiles of the total
    --memory BYTES      refuse programs that need more (default: what this machine has to spare)
    --help, --version

PLATFORM
    A JSON object; rates are bytes a second, times seconds.

    {"format": "rankwise-platform 1",
     "sites": [{"name": "a", "nodes": 4 or ["n1", "n2"], "out": RATE, "in": RATE}],      of each NIC
     "links": [{"name": "wan", "rate": RATE}],                                       one direction each
     "routes": [{"from": SITE, "to": SITE, "class": CLASS, "links": [NAME...]}],     each pair of sites
     "classes": [{"name": "lan", "eager_below": 65536, "weight": 1,                  pairs of nodes that cost alike
       "ranges": [{"up_to": BYTES, "L": S, "o_s": S, "o_s_byte": S, "o_r": S, "o_r_byte": S, "g": S, "G": S}]}],
     "same_node": CLASS, "packet_bytes": 1500, "flops_per_second": 1e9,
     "copy_seconds_per_byte": 0, "reduce_seconds_per_byte": 0,                       of collective operations
     "model": {"name": "alpha-fair", "alpha": 1, "kappa": 2, "tolerance": 1e-3}}

    The last range has no "up_to"; what a range leaves out is 0. Models: "queues", where data wait in the queues of NICs
    and links, a flow's up to its "window" (bytes; without one it is alpha-fair with alpha 1), "max-min" and "alpha-fair"
    (alpha from 0.1 to 16) heed kappa: where a node receives r, it sends at most kappa - r, in units of its NIC's rate;
    from 2 on there is no such bus.
    "flow-cuts" has "outer_cut" and "mixed_cut" instead. "none": messages do not slow one another.

    Exit codes: 0 simulated; 2 the command line or a file is wrong, or the program deadlocks: then it says who waits
    for whom; 3 there is not enough memory.
)";

namespace
{

double number(const std::string &name, std::string_view word, double least, double most)
{
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || stop != word.data() + word.size() || !(value >= least) ||
        !(value <= most))
        throw input_error(name + " wants a number in its range, not " + std::string(word), kUsage);
    return value;
}

template <typename Whole>
Whole whole(const std::string &name, std::string_view word, double least, double most)
{
    const double value = number(name, word, least, most);
    if (value != std::floor(value))
        throw input_error(name + " wants a whole number, not " + std::string(word), kUsage);
    return static_cast<Whole>(value);
}

JobOption read_job(const std::string &word)
{
    static constexpr std::string_view mark = "@nodes=";
    JobOption job;
    const std::size_t at = word.rfind(mark);
    job.file = word.substr(0, at);
    if (at == std::string::npos)
        return job;
    std::string_view rest = std::string_view(word).substr(at + mark.size());
    for (bool more = true; more;) {
        const std::size_t comma = rest.find(',');
        const std::string_view range = rest.substr(0, comma);
        const std::size_t dash = range.find('-');
        const auto from = whole<std::uint32_t>("@nodes", range.substr(0, dash), 0, 4e9);
        const auto to = dash == std::string_view::npos
                            ? from
                            : whole<std::uint32_t>("@nodes", range.substr(dash + 1), from, 4e9);
        job.nodes.emplace_back(from, to);
        more = comma != std::string_view::npos;
        rest.remove_prefix(more ? comma + 1 : rest.size());
    }
    return job;
}

const std::map<std::string, Side> kSides = {
    {"any", Side::any}, {"left", Side::left}, {"right", Side::right}};

using Setter = std::function<void(const std::string &name, const std::string &word)>;

std::map<std::string, Setter> setters(Options &options)
{
    const auto text = [](std::string &target) {
        return [&target](const std::string &, const std::string &word) { target = word; };
    };
    return {
        {"--platform", text(options.platform)},
        {"--model", text(options.model)},
        {"--trace", text(options.trace)},
        {"--job", [&](auto &, auto &word) { options.jobs.push_back(read_job(word)); }},
        {"--algorithm",
         [&](auto &name, auto &word) {
             const std::size_t equals = word.find('=');
             if (equals == std::string::npos)
                 throw input_error(name + " wants OPERATION=NAME, not " + word, kUsage);
             options.algorithms[word.substr(0, equals)] = word.substr(equals + 1);
         }},
        {"--tolerance",
         [&](auto &name, auto &word) { options.tolerance = number(name, word, 1e-10, 0.1); }},
        {"--packet",
         [&](auto &name, auto &word) {
             options.packet_bytes = whole<std::int64_t>(name, word, 0, 1 << 30);
         }},
        {"--seeds",
         [&](auto &name, auto &word) { options.seeds = whole<std::uint32_t>(name, word, 1, 1e6); }},
        {"--derivatives",
         [&](auto &name, auto &word) {
             const auto found = kSides.find(word);
             if (found == kSides.end())
                 throw input_error(name + " wants any, left or right, not " + word, kUsage);
             options.derivatives = found->second;
         }},
        {"--noise", [&](auto &name, auto &word) { options.noise = number(name, word, 0, 2); }},
        {"--memory",
         [&](auto &name, auto &word) {
             options.memory_bytes = whole<std::uint64_t>(name, word, 1, 1e18);
         }},
    };
}

} // namespace

Options read_options(const std::vector<std::string> &words)
{
    Options options;
    const auto known = setters(options);
    for (std::size_t i = 0; i < words.size(); i++) {
        const std::string &name = words[i];
        if (name == "--help" || name == "-h") {
            options.help = true;
        } else if (name == "--version") {
            options.version = true;
        } else if (name == "--critical-path") {
            options.critical_path = true;
        } else {
            const auto found = known.find(name);
            if (found == known.end())
                throw input_error("there is no option " + name, kUsage);
            if (i + 1 == words.size())
                throw input_error(name + " wants a value", kUsage);
            found->second(name, words[++i]);
        }
    }
    if (options.help || options.version)
        return options;
    if (options.platform.empty() || options.jobs.empty())
        throw input_error("a platform and a job are wanted", kUsage);
    if ((options.seeds > 0) != (options.noise > 0))
        throw input_error("--seeds and --noise belong together", kUsage);
    return options;
}

} // namespace rankwise::sim
