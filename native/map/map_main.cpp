// rankwise-map: see kManual.
#include "base/error.h"
#include "base/version.h"
#include "search.h"
#include <charconv>
#include <iostream>
#include <new>
#include <string_view>

namespace
{

using namespace rankwise;
using namespace rankwise::map;

const char *const kUsage = "rankwise-map FILE [--rounds N] [--seconds S]";
const char *const kManual = R"(NAME
    rankwise-map - place ranks where what they send one another costs least

SYNOPSIS
    rankwise-map FILE [--rounds N] [--seconds S]

DESCRIPTION
    Prints a line for each placement: what it began as, and the slot of each rank. `rankwise map` calls it.

    --rounds N          how often to cut the ranks anew and swap from there (default: 1); the cheapest is told
    --seconds S         after which no more swaps are tried (default: 30)
    --help, --version

FILE
    Arrays one after another, as this machine stores them. There are as many ranks as slots: those without edges
    stand for slots that stay free.

    int64   5           format (1), slots, entries of the graph, levels, level of pins
    int32   slots + 1   where each rank's edges begin; each edge is there from both its ends
    int32   entries     the rank at the other end
    float32 entries     weight, positive
    int32   slots       for each level from the innermost: the group of each slot, from 0, neighbours together
    float32 levels      by how much two ranks are farther apart if they are not in one group of the level
    int32   slots       where each rank is now
    uint8   slots       1: it stays in its group of the level of pins

    Exit codes: 0 placed; 2 the command line or the file is wrong; 3 there is not enough memory.
)";

struct Options {
    std::string file;
    double seconds = 30;
    int rounds = 1;
};

template <class T> T number(const std::string &name, std::string_view word, T least, T most)
{
    T value{};
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || stop != word.data() + word.size() || !(value >= least) ||
        !(value <= most))
        throw input_error(name + " wants a number in its range, not " + std::string(word), kUsage);
    return value;
}

Options read_options(int count, char **arguments)
{
    Options options;
    for (int i = 1; i < count; i++) {
        const std::string word = arguments[i];
        const bool has_value = word == "--rounds" || word == "--seconds";
        if (has_value && i + 1 == count)
            throw input_error(word + " wants a number", kUsage);
        if (word == "--rounds")
            options.rounds = number(word, arguments[++i], 1, 1'000'000);
        else if (word == "--seconds")
            options.seconds = number(word, arguments[++i], 0.0, 1e6);
        else if (word.starts_with("-") || !options.file.empty())
            throw input_error("there is no option " + word, kUsage);
        else
            options.file = word;
    }
    if (options.file.empty())
        throw input_error("a file is missing", kUsage);
    return options;
}

void run(const Options &options)
{
    using namespace std::chrono;
    const auto until = steady_clock::now() +
                       duration_cast<steady_clock::duration>(duration<double>(options.seconds));
    for (const Found &found : search(read_problem(options.file), options.rounds, until)) {
        std::cout << found.start;
        for (const Index slot : found.slot_of)
            std::cout << ' ' << slot;
        std::cout << '\n';
    }
}

} // namespace

int main(int count, char **arguments)
{
    std::ios::sync_with_stdio(false);
    try {
        const std::string_view first = count > 1 ? arguments[1] : "";
        if (first == "--help")
            std::cout << kManual;
        else if (first == "--version")
            std::cout << "rankwise-map " RANKWISE_VERSION "\n";
        else
            run(read_options(count, arguments));
        return 0;
    } catch (const Error &error) {
        std::cerr << error.told_by("rankwise-map");
        return error.exit_code();
    } catch (const std::bad_alloc &) {
        std::cerr << "rankwise-map: there is not enough memory for so many ranks\n";
        return kExitHost;
    } catch (const std::exception &error) {
        std::cerr << "rankwise-map: a bug of ours: " << error.what() << "\n";
        return kExitBug;
    }
}
