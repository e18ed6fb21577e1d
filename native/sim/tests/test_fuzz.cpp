// Whatever is in a program or a platform, it is read or refused with a reason; what is read can be
// simulated.
#include "base/tests/mutation.h"
#include "base/word_file.h"
#include "goal_binary_file.h"
#include "world.h"
#include <array>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

const std::vector<std::string> programs = {
    "num_ranks 3\nrank 0 {\nl1: calc 50\nl2: send 10b to 1 tag 3\nl2 requires l1\nl3: recv 99999b "
    "from 2\n}\n"
    "rank 1 {\nrecv 10b from 0 tag 3\n}\nrank 2 {\nsend 99999b to 0\n}\n",
    "0 init\n1 init\n0 isend 1 5 100 6\n0 compute 2e9\n0 wait 0 1 5\n1 irecv -1 -1 100 6\n1 "
    "waitall\n"
    "0 bcast 8 0 6\n1 bcast 8 0 6\n",
    "# pattern\n0 1 1000 0.5\n1 2 2e3\n2 0 100000 1e-3\n",
    R"({"operation": "allreduce", "algorithm": "ring", "ranks": 5, "count": 100, "element_bytes": 8, "repeat": 2,
 "sites": [[0, 1], [2, 3, 4]]})",
};
const std::string platform_text =
    R"({"format": "rankwise-platform 1", "sites": [{"name": "a", "nodes": 4, "out": 1e8, "in": 2e8}],
 "links": [{"name": "l", "rate": 1e7}], "classes": [{"name": "c", "eager_below": 500, "ranges": [{"up_to": 1000, "L": 1e-5},
 {"L": 2e-5, "o_s": 1e-6, "G": 1e-8, "g": 1e-6}]}], "same_node": "c", "routes": [{"from": "a", "to": "a", "class": "c",
 "links": ["l"]}], "model": {"name": "alpha-fair", "alpha": 2, "kappa": 1.5}})";

const std::vector<std::string> tokens = {
    "0",       "-1",        "1",        "2",    "3",      "99999999999999999999",
    "1e308",   "nan",       "1e12",     "send", "recv",   "calc",
    "to",      "from",      "requires", "rank", "{",      "}",
    "[",       "]",         ",",        ":",    "\"",     "wait",
    "test",    "8b",        "isend",    "tag",  "#",      "//",
    "/*",      "*/",        "\xff",     "",     "reduce", "true",
    "max-min", "flow-cuts", "none",     "0.5",  "queues", "window"};

ReaderOptions small()
{
    ReaderOptions options;
    options.memory_bytes = 1 << 22;
    options.most_ranks = 1 << 12;
    return options;
}

/// True: it was read, and simulated to its end, a deadlock or a time that is too long.
bool try_to_run(const Platform &platform, const std::string &text)
{
    try {
        ReadProgram read = read_program(text, "file", platform, small());
        if (read.program.operations() > 5000)
            return true;
        std::vector<std::uint32_t> nodes(read.program.ranks());
        for (std::size_t rank = 0; rank < nodes.size(); rank++)
            nodes[rank] = static_cast<std::uint32_t>(rank % platform.nodes.size());
        const std::vector<Job> jobs = {{"job", &read.program, nodes}};
        const Outcome outcome = Engine(platform, jobs).run();
        CHECK(outcome.finish.size() == nodes.size() && outcome.total >= 0);
        return true;
    } catch (const Error &error) {
        CHECK(error.exit_code() == kExitInput || error.exit_code() == kExitHost);
        CHECK(is_text(error.what()));
        return false;
    }
}

} // namespace

int main()
{
    std::array platforms = {read_platform(platform_text, "platform"),
                            read_platform(platform_text, "platform")};
    platforms[1].model.sharing = Sharing::queues;
    platforms[1].model.window = 1e9;
    rankwise::test::Mutation mutation(20060914, tokens);
    int read = 0, refused = 0;
    std::vector<std::string> all = programs;
    all.push_back(goal_binary_file());
    for (const std::string &valid : all) {
        for (const Platform &platform : platforms)
            CHECK(try_to_run(platform, valid));
        for (int i = 0; i < 3000; i++)
            (try_to_run(platforms[static_cast<std::size_t>(i) % 2], mutation.damaged(valid))
                 ? read
                 : refused)++;
        for (std::size_t length = 0; length < valid.size(); length++)
            try_to_run(platforms[length % 2], valid.substr(0, length));
    }
    CHECK(read > 500 && refused > 2000); // both happen, or nothing was tested
    int whole = 0;
    for (int i = 0; i < 4000; i++)
        try {
            const Platform damaged = read_platform(mutation.damaged(platform_text), "platform");
            whole++;
            if (damaged.nodes.size() < 1000)
                try_to_run(damaged, programs[2]);
        } catch (const Error &error) {
            CHECK(error.exit_code() == kExitInput && is_text(error.what()));
        }
    CHECK(whole > 20);
    std::cout << read << " read, " << refused << " refused, " << whole << " platforms\n";
    return rankwise::test::conclude();
}
