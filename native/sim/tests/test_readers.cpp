// Every format is read as its documents say, and what is wrong in a file is refused with the line
// and the reason.
#include "goal_binary_file.h"
#include "json.h"
#include "options.h"
#include "world.h"
#include <algorithm>
#include <random>
#include <tuple>

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
    CHECK(read(head + "calc 1 cpu 1\n}\n").program.notices.size() == 1);
    CHECK(contains(refused(head + "calc 1 cpu 256\n}\n"), "file:3: a number must be"));
    CHECK(contains(refused(head + "calc 1 gpu 1\n}\n"), "expected tag, cpu or nic, not gpu"));
    CHECK(contains(refused(head + "send 8b\n}\n"), "file:3: the line ends too early"));
}

/// txt2bin scans characters: comments are blanks wherever they stand, and blanks are not needed.
void goal_characters()
{
    const auto both = [](const std::string &first, const std::string &second) {
        return read("num_ranks 2\n" + first + "\n" + second + "\n").program;
    };
    const std::string receives = "rank 1 {\nr: recv 7b from 0 tag 4\n}";
    for (const std::string sends :
         {"rank 0 {\n/* c */l1: send 7b to 1 tag 4\n}", "rank 0 {\nl1: send 7b to 1 tag 4 // c\n}",
          "rank 0 {\n/* a\nb */ /**/l1: send 7b to 1 tag 4\n/* d */\n}",
          "/**/rank 0{l1:send 7b to 1 tag 4\n}", "rank 0{\nl1:send 7 b to1tag4\n}",
          "rank 0\n{ send 7bto 1 /* tag 9 */ tag 4 }"}) {
        const Program made = both(sends, receives);
        CHECK(made.messages() == 1);
        const Outcome outcome = simulate(ideal(8), made);
        CHECK(outcome.deadlock.empty() && outcome.messages == 1 && outcome.bytes == 7);
    }
    CHECK(contains(refused("num_ranks 1\nrank 0 {\n/* a\nb */ calc x\n}\n"),
                   "file:4: nanoseconds must be a whole number"));
    CHECK(contains(refused("num_ranks 1\nrank 0 {\n/* a\n}\n"), "file:3: a comment has no end"));
    CHECK(contains(refused("num_ranks 1\nrank 0 {\ncalc 1 calc 2\n}\n"), "file:3: expected tag"));
}

/// Tags have 32 bits, and "any tag" means all of them.
void goal_tags()
{
    for (const std::string tag : {"1073741823", "1073741824", "2147483648", "4294967294"})
        for (const std::string &wanted : {tag, std::string("-1")}) {
            const Program made = read("num_ranks 2\nrank 0 {\nsend 9b to 1 tag " + tag +
                                      "\n}\nrank 1 {\nrecv 9b from 0 tag " + wanted + "\n}\n")
                                     .program;
            CHECK(simulate(ideal(8), made).deadlock.empty());
        }
    const Program apart = read("num_ranks 2\nrank 0 {\nsend 9b to 1 tag 3000000000\n}\nrank 1 {\n"
                               "recv 9b from 0 tag 3000000001\n}\n")
                              .program;
    CHECK(contains(simulate(ideal(8), apart).deadlock, "tag 3000000001"));
    CHECK(contains(refused("num_ranks 2\nrank 0 {\nsend 9b to 1 tag 4294967295\n}\n"),
                   "file:3: a tag must be"));
}

/// Random legal files mean what was written into them.
void goal_random()
{
    std::mt19937 random(7);
    const auto one_of = [&](const std::vector<std::string> &words) {
        return words[random() % words.size()];
    };
    const auto blank = [&] { return one_of({" ", "\t", "  ", " /* l9: calc 5 */ "}); };
    const auto may = [&] { return one_of({"", "", " ", "/*:*/"}); };
    for (int i = 0; i < 300; i++) {
        std::vector<Operation> meant;
        std::string text = one_of({"", "// c\n", "/* c\n */"}) + "num_ranks" + blank() + "2" +
                           one_of({"\n", "\r\n", " // c\n"}) + "rank" + blank() + "0" + may() +
                           "{" + one_of({"", "\n"});
        for (std::size_t n = random() % 6; meant.size() < n;) {
            const std::string label = "l" + std::to_string(meant.size());
            text += may() + one_of({"", label + may() + ":" + may()});
            const int size = static_cast<int>(random() % 1000),
                      tag = static_cast<int>(random() % 1000);
            const std::string digits = std::to_string(size);
            if (random() % 3 == 0) {
                text += "calc" + blank() + digits + one_of({"", " cpu 0"});
                meant.push_back(Operation::compute(Time{size} * 1000));
            } else {
                const bool sends = random() % 2 == 0;
                text += (sends ? "send" : "recv") + blank() + digits + may() + "b" + may() +
                        (sends ? "to" : "from") + may() + "1" + may() + "tag" + may() +
                        std::to_string(tag) + one_of({"", " cpu 0", " nic0", " cpu 0 nic 0"});
                meant.push_back(
                    Operation::message(sends ? Kind::send : Kind::receive, 1, tag, size));
            }
            text += may() + one_of({"\n", "\r\n", " // b\n", "\n\n/* send 1b to 1 */\n"});
        }
        text += "}" + may() + "rank 1{}" + one_of({"", "\n", "/* end */"});
        const Program made = read(text).program;
        std::vector<Operation> found;
        for (const GraphNode &node : made.nodes)
            found.push_back(node.operation);
        if (made.nodes.empty())
            for (const Operation &one : made.sequences[0])
                if (one.kind() != Kind::wait_all)
                    found.push_back(one);
        const auto as_written = [](const Operation &one) {
            const bool sends = one.kind() == Kind::send || one.kind() == Kind::isend;
            const bool computes = one.kind() == Kind::compute;
            return std::tuple(computes, sends, computes ? one.duration() : one.bytes(),
                              computes ? 0 : one.tag());
        };
        CHECK(std::ranges::equal(found, meant, {}, as_written, as_written));
    }
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

/// All that SMPI's replay takes of sizes by rank, sendRecv and wildcards.
void actions()
{
    const auto total = [](const std::string &first, const std::string &second) {
        const Program made = read("0 " + first + "\n1 " + second + "\n").program;
        const Outcome outcome = simulate(ideal(8), made);
        CHECK(outcome.deadlock.empty());
        return outcome.bytes;
    };
    CHECK(total("sendRecv 50 1 60 1 1 6", "sendRecv 60 0 50 0 6 1") == 4 * 50 + 60);
    CHECK(total("send 1 7 9", "recv -333 -444 9") == 9);
    CHECK(total("send 1 7 9", "recv -555 -1 9") == 9);
    CHECK(total("irecv -333 -444 9 6\n0 wait -333 0 -444", "send 0 7 9") == 9);
    CHECK(total("gatherv 5 5 3 0 6 1", "gatherv 3 5 3 0 1 6") == 12);
    CHECK(total("scatterv 5 3 5 0 1 6", "scatterv 5 3 12 0 6 6") == 12);
    CHECK(total("allgatherv 5 5 3 1 1", "allgatherv 3 5 3 1 1") == 4 * 8);
    CHECK(total("allgatherv 5 5 3 1 1 0 5", "allgatherv 3 5 3 1 1 0 5") == 4 * 8);
    CHECK(total("alltoallv 9 1 2 9 1 3 6 6", "alltoallv 9 3 4 9 2 4 6 6") == 5);
    CHECK(total("reducescatter 5 3 0 6", "reducescatter 5 3 0 6") == 8);
    CHECK(total("scan 8 0 6", "scan 8 0 6") == 8);
    CHECK(total("exscan 8 0 1", "exscan 8 0 1") == 32);
    CHECK(contains(refused("0 gatherv 5 5 3\n1 gatherv 5 5\n"), "file:2: the line ends too early"));
    CHECK(contains(refused("0 sendRecv 5 1 5\n1 init\n"), "file:1: the line ends too early"));
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
    goal_characters();
    goal_tags();
    goal_random();
    goal_binary();
    traces();
    actions();
    patterns();
    memory();
    platforms();
    json();
    command_line();
    return rankwise::test::conclude();
}
