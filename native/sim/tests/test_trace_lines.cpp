// Traces are read alike however their lines are written, quick to read or not, and what is sent at
// once leaves when it would have left in its turn.
#include "readers/text_file.h"
#include "tape.h"
#include "world.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

constexpr std::uint32_t kRanks = 6;

Program traced(const std::string &text)
{
    return read_time_independent(text, "trace", ideal(kRanks), {});
}

/// Lines with more blanks are none that are quick to read.
std::string with_blanks(const std::string &text)
{
    std::string wide;
    for (const char c : text)
        wide += c == ' ' ? "  " : std::string(1, c);
    return wide;
}

/// Ranks exchange messages in an order in which none waits for ever.
std::string random_trace(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    const auto words = [](auto... word) { return ((std::to_string(word) + " ") + ...); };
    std::string text;
    for (int round = 0; round < 30; round++) {
        const std::uint64_t step = 1 + below(kRanks - 1), tag = below(3);
        const std::uint64_t bytes = below(2) == 0 ? below(2000) : 60'000 + below(20'000);
        const bool blocks = below(2) == 0;
        for (std::uint64_t rank = 0; rank < kRanks; rank++) {
            const std::string me = std::to_string(rank) + " ";
            const std::uint64_t to = (rank + step) % kRanks, from = (rank + kRanks - step) % kRanks;
            text += me + "irecv " + words(from, tag) + "-1 6\n";
            text += me + (blocks ? "send " : "isend ") + words(to, tag) +
                    (below(2) == 0 ? std::to_string(bytes) : words(bytes) + "6") + "\n";
            if (below(3) == 0)
                text += me + "sleep 0." + std::string(5, '0') + std::to_string(below(90)) + "\n";
            text += below(2) == 0 ? me + "waitall\n"
                                  : me + "wait " + words(from, rank) + std::to_string(tag) + "\n" +
                                        me + "waitall\n";
        }
    }
    return text;
}

void check_same(const Program &one, const Program &other)
{
    CHECK(one.operations() == other.operations() && one.requests == other.requests);
    bool alike = one.ranks() == other.ranks();
    for (std::uint32_t rank = 0; alike && rank < one.ranks(); rank++)
        alike = std::ranges::equal(
            one.sequences[rank], other.sequences[rank], [](const Operation &a, const Operation &b) {
                return a.kind() == b.kind() && a.peer() == b.peer() && a.tag() == b.tag() &&
                       a.bytes() == b.bytes() && a.request() == b.request();
            });
    CHECK(alike);
}

void alike()
{
    for (std::uint64_t seed = 1; seed <= 30; seed++) {
        const std::string text = random_trace(seed);
        const Program quick = traced(text);
        CHECK(quick.ranks() == kRanks && quick.messages() == 30 * kRanks);
        check_same(quick, traced(with_blanks(text)));
    }
}

/// Numbers of all lengths, at the end of a line and within.
void numbers()
{
    std::string text;
    for (std::int64_t number = 1; number < (std::int64_t{1} << 33); number = 10 * number + 7) {
        const std::string bytes = std::to_string(number);
        const std::string tag = std::to_string(number % 1'000'000'000);
        text += "0 isend 1 " + tag + " " + bytes + "\n0 isend 1 " + tag + " " + bytes + " 6\n";
        text += "1 irecv 0 " + tag + "\n1 irecv 0 " + tag + " " + bytes + " 6\n";
        text += "1 wait 0 1 " + tag + "\n";
    }
    text += std::string(200, '\n');
    const Program quick = traced(text);
    check_same(quick, traced(with_blanks(text)));
    CHECK(quick.sequences[0][2].bytes() == 17 && quick.sequences[0][2].tag() == 17);
    CHECK(quick.sequences[0][14].bytes() == 17'777'777);
}

/// Parts of a large file are given back while it is read, and read again where they are needed.
void mapped()
{
    std::string text;
    while (text.size() < 3 << 20)
        text += random_trace(text.size());
    text += "0 barrier\n"; // looks for all ranks
    const std::string path = "trace_lines." + std::to_string(::getpid());
    std::ofstream(path) << text;
    const MappedFile file(path);
    std::remove(path.c_str());
    ReaderOptions options;
    options.is_mapped = true;
    const Program program = read_time_independent(file.bytes(), path, ideal(kRanks), options);
    check_same(program, traced(text));
    CHECK(file.bytes() == text);
}

/// What is wrong is refused with its line, also where the lines around it are simple.
void refused()
{
    std::string many;
    for (int i = 0; i < 40; i++)
        many += "0 isend 1 5 100 6\n1 irecv 0 5 100 6\n";
    for (const auto &[line, said] : std::vector<std::pair<std::string, std::string>>{
             {"0 send 7 5 100 6\n", "trace:81: a rank must be a whole number from 0 to 1, not 7"},
             {"0 wait 0 9 5\n", "trace:81: a rank must be"},
             {"0 send 1 5 100 77\n", "trace:81: the datatype 77 is not known"},
             {"0 send 1 1073741824 100 6\n", "trace:81: a tag must be"},
             {"0 send 1 5 999999999999999 6\n", "trace:81: a size must be"},
             {"0 send 1 5 1" + std::string(200, '0') + " 6\n", "trace:81: a size must be"},
             {"0 irecv 1 5x 100 6\n", "trace:81: a tag must be"},
             {"0 send 1\n", "trace:81: the line ends too early"},
             {"5000000000 send 1 5 1\n", "trace:81: a rank must be"}})
        CHECK(contains(error_of([&] { traced(many + line + many); }), said));
    CHECK(traced(many + "7 init\n").ranks() == 8);
    CHECK(traced(many + "0 isend 1 5 100 6").messages() == 41);
}

/// With a tape everything happens in its turn.
void at_once()
{
    for (std::uint64_t seed = 1; seed <= 30; seed++) {
        const Program program = traced(random_trace(seed));
        Platform platform = ideal(kRanks, model(Sharing::none));
        CostRange &costs = platform.classes[0].ranges[0];
        costs.latency = 20'000'000;
        costs.send_overhead = 3'000'000;
        costs.receive_overhead = 2'000'000;
        costs.gap = 5'000'000;
        platform.classes[0].eager_below = 65'536;
        const std::vector<Job> jobs = {job(program)};
        Tape tape(platform, kRanks);
        const Outcome in_turn = Engine(platform, jobs, {}, nullptr, &tape).run();
        const Outcome outcome = Engine(platform, jobs).run();
        CHECK(outcome.finish == in_turn.finish && outcome.events < in_turn.events);
    }
}

} // namespace

int main()
{
    alike();
    numbers();
    mapped();
    refused();
    at_once();
    return rankwise::test::conclude();
}
