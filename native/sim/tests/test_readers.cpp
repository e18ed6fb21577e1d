// Every format is read as its documents say, and what is wrong in a file is refused with the line
// and the reason.
#include "goal_binary_file.h"
#include "json.h"
#include "options.h"
#include "world.h"

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

const std::string goal =
    "// a comment\nnum_ranks 2\n\nrank 0 {\nl1: calc 5000 cpu 0\nl2: send 10b to 1 tag 3\n"
    "l2 requires l1\n/* another\none */\nother: recv 0b from 1\nother irequires l2\n}\n"
    "rank 1\n{\nrecv 10b from 0 tag 3\nsend 0b to 0\n}\n";

ReadProgram read(const std::string &text)
{
    static const Platform platform = ideal(8);
    return read_program(text, "file", platform, {});
}

std::string refused(const std::string &text)
{
    return error_of([&] { read(text); });
}

void goal_text()
{
    const ReadProgram made = read(goal);
    CHECK(made.format == "GOAL");
    CHECK(made.program.ranks() == 2 && made.program.nodes.size() == 3);
    CHECK(made.program.messages() == 2);
    const auto &nodes = made.program.nodes;
    CHECK(nodes[0].operation.duration() == 5'000'000); // 5000 ns
    const Operation &sent = nodes[1].operation;
    CHECK(sent.kind() == Kind::send && sent.bytes() == 10 && sent.tag() == 3 && sent.peer() == 1);
    CHECK(made.program.successors.size() == 2);
    CHECK(nodes[1].predecessors == 1 && nodes[2].predecessors == 1);
    CHECK(made.program.rows[1] && made.program.sequences[1].size() == 3); // both, and their end
    CHECK(simulate(ideal(8), made.program).deadlock.empty());

    const std::string head = "num_ranks 2\nrank 0 {\n";
    CHECK(contains(refused("num_ranks 0\n"), "file:1: the number of ranks must be"));
    CHECK(contains(refused(head + "send 8b to 2\n}\n"),
                   "file:3: a rank must be a whole number from 0 to 1"));
    CHECK(contains(refused(head + "send 8 to 1\n}\n"), "file:3: a size ends with b"));
    CHECK(contains(refused(head + "send 99999999999999b to 1\n}\n"), "file:3: a size must be"));
    CHECK(contains(refused(head + "l1: calc 1\nl1 requires l2\n}\n"),
                   "file:4: no operation before has the label l2"));
    CHECK(contains(refused(head + "l1: calc 1\nl1: calc 1\n}\n"),
                   "file:4: the label l1 is here twice"));
    CHECK(contains(refused(head + "a: calc 1\nb: calc 1\na requires b\nb requires a\n}\n"),
                   "in a circle"));
    CHECK(contains(refused(head + "calc 1\n"), "file:4: the file ends within a rank"));
    CHECK(contains(refused(head + "}\nrank 0 {\n}\n"), "rank 0 is here twice"));
    CHECK(contains(refused(head + "calc 1 cpu 1\n}\n"), "one processor"));
    CHECK(contains(refused(head + "calc 1 gpu 1\n}\n"), "expected tag, cpu or nic, not gpu"));
    CHECK(contains(refused(head + "send 8b\n}\n"), "file:3: the line ends too early"));
}

void goal_binary()
{
    const std::string file = goal_binary_file();
    const ReadProgram made = read(file);
    CHECK(made.format == "GOAL binary");
    const Program text =
        read("num_ranks 2\nrank 0 {\na: calc 5000\nb: send 10b to 1 tag 7\nb requires a\n}\n"
             "rank 1 {\nrecv 10b from 0 tag 7\n}\n")
            .program;
    CHECK(made.program.sequences[0].size() == 2 && made.program.sequences[1].size() == 1);
    CHECK(simulate(ideal(8), made.program).finish == simulate(ideal(8), text).finish);
    for (std::size_t length = 8; length < file.size(); length++)
        CHECK(!refused(file.substr(0, length)).empty());
    std::string damaged = file;
    damaged[8] = 9; // ranks
    CHECK(contains(refused(damaged), "file"));
    CHECK(contains(refused(file.substr(0, file.size() - 3)), "rank 1: the file is cut off"));
}

void traces()
{
    const std::string trace = "0 init\n1 init\n0 isend 1 5 100 6\n0 compute 2e9\n0 wait 0 1 5\n"
                              "1 irecv 0 5 100 6\n1 wait 0 1 5\n0 send 1 5 10 0\n1 recv 0 5 10 0\n"
                              "0 bcast 8 0 6\n1 bcast 8 0 6\n0 finalize\n1 finalize\n";
    const ReadProgram made = read(trace);
    CHECK(made.format == "time-independent trace");
    const std::span<const Operation> first = made.program.sequences[0];
    CHECK(first.size() == 5);
    CHECK(first[0].kind() == Kind::isend && first[0].bytes() == 100);
    CHECK(first[1].duration() == 2'000'000'000'000); // at 1e9 a second
    CHECK(first[3].bytes() == 80);                   // doubles
    CHECK(made.program.graphs.size() == 2);
    CHECK(simulate(ideal(8), made.program).deadlock.empty());
    CHECK(contains(refused("0 init\n0 send 1 5 100\n"),
                   "file:2: a rank must be a whole number from 0 to 0"));
    CHECK(contains(refused("0 init\n1 send 0 5 -1\n"), "file:2: a size must be"));
    CHECK(contains(refused("0 init\n1 send 0 5 1e30\n"), "file:2: a size must be"));
    CHECK(contains(refused("0 init\n1 jump 0\n"), "file:2: the action jump is not known"));
    CHECK(contains(refused("0 init\n1 send 0\n"), "file:2: the line ends too early"));
    CHECK(contains(refused("0 init\n1 send 0 5 1 77\n"), "datatype 77 is not known"));
    CHECK(read("0 init\n0 scatter 8 8 0\n").program.ranks() == 1);
}

void patterns()
{
    const ReadProgram made = read("# from to bytes start\n0 1 1000 0.5\n1 2 2e3\n");
    CHECK(made.format == "pattern" && made.pattern.size() == 2 && made.program.ranks() == 3);
    Record record(3);
    simulate(ideal(8), made.program, &record);
    for (const MessageRecord &message : record.messages)
        CHECK_NEAR(seconds(message.arrival), message.tag == 0 ? 0.5 + 1000 / kRate : 2000 / kRate,
                   1e-9);
    CHECK(contains(refused("0 1 1000\n0 1\n"), "file:2: expected: from to bytes"));
    CHECK(contains(refused("0 1 1000\n0 99999999999 8\n"), "file:2: a rank must be"));
    CHECK(contains(refused("0 1 1000 -1\n"), "file:1: a start must be"));
    CHECK(contains(refused(""), "file: the file is empty"));
    CHECK(contains(refused("0 1 1M 0\n"), "file:1: a size must be"));
    CHECK(contains(refused("hello\n"), "none of the formats"));
    CHECK(contains(refused("\xff\xfe 1 2 3\n"), "none of the formats"));
}

/// What does not fit is refused before it is read, with what it needs.
void memory()
{
    ReaderOptions options;
    options.memory_bytes = 100'000;
    const auto needs = [&](const std::string &text) {
        return error_of([&] { read_program(text, "file", ideal(4), options); }, kExitHost);
    };
    CHECK(contains(
        needs("{\"operation\": \"bcast\", \"algorithm\": \"binomial\", \"ranks\": 4000000}"),
        "this needs some 0.931 GiB of memory"));
    CHECK(contains(needs("{\"operation\": \"allreduce\", \"algorithm\": \"ring\", \"ranks\": 300, "
                         "\"count\": 1000, \"repeat\": 100000}"),
                   "of memory, and 9.31e-05 GiB may be used"));
    std::string lines;
    for (int i = 0; i < 2000; i++)
        lines += "0 1 8\n";
    CHECK(contains(needs(lines), "GiB of memory"));
    CHECK(contains(needs("num_ranks 50000000\n"), "GiB of memory"));
    CHECK(contains(needs("0 60000000 8\n"), "GiB of memory"));
}

const std::string platform_text =
    R"({"format": "rankwise-platform 1", "packet_bytes": 9000, "flops_per_second": 2e9,
 "sites": [{"name": "a", "nodes": 2, "out": 1e8, "in": 2e8}, {"name": "b", "nodes": ["x", "y"], "out": 1e8, "in": 1e8}],
 "links": [{"name": "wan", "rate": 1e7}],
 "classes": [{"name": "lan", "ranges": [{"up_to": 1000, "L": 1e-5}, {"L": 2e-5, "o_s": 1e-6, "G": 1e-8}]},
  {"name": "wan", "weight": 0.5, "eager_below": 100, "ranges": [{"L": 5e-3}]}],
 "same_node": "lan",
 "routes": [{"from": "a", "to": "a", "class": "lan"}, {"from": "b", "to": "b", "class": "lan"},
  {"from": "a", "to": "b", "class": "wan", "links": ["wan"]}, {"from": "b", "to": "a", "class": "wan"}],
 "model": {"name": "alpha-fair", "alpha": 2.41, "kappa": 1.25, "tolerance": 1e-6}})";

void platforms()
{
    const Platform p = read_platform(platform_text, "platform");
    CHECK(p.nodes.size() == 4 && p.node_name(1) == "a1" && p.node_name(2) == "x" &&
          p.nodes[2].site == 1);
    CHECK(p.route(0, 3).links == std::vector<std::uint32_t>({0}) && p.route(3, 0).links.empty());
    CHECK(p.pair_class(0, 1).costs(1000).latency == 10'000'000);
    CHECK(p.pair_class(0, 1).costs(1001).latency == 20'000'000);
    CHECK_NEAR(p.pair_class(0, 1).costs(1001).gap_byte, 1e4, 1e-9);
    CHECK(p.pair_class(0, 2).weight == 0.5 && p.pair_class(0, 2).eager_below == 100);
    CHECK(p.model.sharing == Sharing::alpha_fair && p.model.alpha == 2.41 && p.model.kappa == 1.25);
    const auto changed = [](const std::string &from, const std::string &to) {
        std::string text = platform_text;
        text.replace(text.find(from), from.size(), to);
        return error_of([&] { read_platform(text, "platform"); });
    };
    CHECK(contains(changed("2.41", "17"), "platform:9: alpha is above 16: take the model max-min"));
    CHECK(contains(changed("\"wan\"]", "\"van\"]"), "platform:8: nothing has the name van"));
    CHECK(contains(changed("{\"L\": 2e-5", "{\"up_to\": 10, \"L\": 2e-5"), "\"up_to\" must grow"));
    CHECK(contains(changed(", {\"from\": \"b\", \"to\": \"a\", \"class\": \"wan\"}", ""),
                   "there is no route from b to a"));
    CHECK(contains(changed("1e7", "0"), "platform:3: 0 is not from 1"));
    CHECK(contains(changed("packet_bytes", "packet"), "platform:1: \"packet\" is not known here"));
    CHECK(contains(changed("alpha-fair", "alpha"), "there is no model alpha"));
}

void json()
{
    CHECK(Json::read(R"("a\u00e9\t\"")", "j").text() == "a\xc3\xa9\t\"");
    CHECK(quoted("a\"\\\n") == "\"a\\\"\\\\\\u000a\"");
    for (const char *bad : {"", "{", "[1,]", "{\"a\" 1}", "{\"a\":1,\"a\":2}", "tru", "1 2", "\"a",
                            "nan", "1e999", "\"\\ud800\"", "\"\\x\"", "\"\n\"", "{1:2}"})
        CHECK(!error_of([&] { Json::read(bad, "j"); }).empty());
    CHECK(!error_of([] { Json::read(std::string(1000, '['), "j"); }).empty());
}

void command_line()
{
    const Options options =
        read_options({"--platform", "p", "--job", "a@nodes=0-3,7", "--job", "b", "--algorithm",
                      "bcast=binomial", "--seeds", "5", "--noise", "0.1"});
    CHECK(options.jobs.size() == 2 && options.jobs[0].file == "a" &&
          options.jobs[0].nodes.size() == 2);
    CHECK(options.jobs[0].nodes[1] == std::pair(7U, 7U) &&
          options.algorithms.at("bcast") == "binomial");
    for (const std::vector<std::string> &bad :
         std::vector<std::vector<std::string>>{{},
                                               {"--platform", "p"},
                                               {"--platform"},
                                               {"--jump"},
                                               {"--platform", "p", "--job", "a@nodes=3-1"},
                                               {"--platform", "p", "--job", "a", "--seeds", "3"},
                                               {"--platform", "p", "--job", "a", "--packet", "x"}})
        CHECK(!error_of([&] { read_options(bad); }).empty());
}

} // namespace

int main()
{
    goal_text();
    goal_binary();
    traces();
    patterns();
    memory();
    platforms();
    json();
    command_line();
    return rankwise::test::conclude();
}
