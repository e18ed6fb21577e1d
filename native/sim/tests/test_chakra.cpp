// A Chakra trace means what its schema says, and damaged ones are refused with a reason.
#include "base/tests/mutation.h"
#include "base/word_file.h"
#include "world.h"
#include <cstring>

using namespace rankwise;
using namespace rankwise::sim;
using namespace rankwise::sim::test;

namespace
{

std::string varint(std::uint64_t value)
{
    std::string bytes;
    for (; value > 127; value >>= 7)
        bytes += static_cast<char>(value | 128);
    return bytes + static_cast<char>(value);
}

std::string number(unsigned field, std::uint64_t value)
{
    return varint(field << 3) + varint(value);
}

std::string part(unsigned field, const std::string &bytes)
{
    return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string message(const std::string &bytes)
{
    return varint(bytes.size()) + bytes;
}

std::string attribute(const std::string &name, unsigned field, std::uint64_t value)
{
    return part(10, part(1, name) + number(field, value));
}

const std::string metadata = message(part(1, "0.0.4"));

std::string node(std::uint64_t id, std::uint64_t type, const std::string &rest)
{
    return message(number(1, id) + part(2, "a node") + number(3, type) + rest);
}

/// Rank 0 computes 70 us, then sends; at once it computes 5 us. Rank 1 receives, then both reduce.
std::vector<std::string> trace()
{
    const std::string size = attribute("comm_size", 13, 1000);
    const std::string reduce = attribute("comm_type", 9, 0) + attribute("comm_size", 9, 800);
    return {metadata +
                node(7, 5,
                     part(4, varint(300)) + attribute("comm_dst", 7, 1) +
                         attribute("comm_tag", 7, 3) + size) +
                node(300, 4, number(7, 70)) + node(8, 4, number(7, 5) + number(5, 7)) +
                node(9, 7, number(4, 8) + reduce),
            metadata +
                node(1, 6, attribute("comm_src", 15, 0) + attribute("comm_tag", 11, 3) + size) +
                node(2, 7, part(5, varint(1)) + reduce)};
}

Platform platform()
{
    Platform made = ideal(4);
    made.classes[0].ranges[0].latency = 20'000'000;
    made.packet_bytes = 1500;
    return made;
}

Program read(const std::vector<std::string> &files, const ReaderOptions &options = {})
{
    return read_chakra({files.begin(), files.end()}, "trace", platform(), options);
}

void meaning()
{
    const Outcome outcome = simulate(platform(), read(trace()));
    CHECK(outcome.deadlock.empty());
    CHECK(outcome.messages == 3); // one, and an allreduce of two ranks
    // 70 us, 8 us of wire and 20 us, and an exchange of 800 bytes: 6.4 us and 20 us.
    CHECK_NEAR(seconds(outcome.total), 124.4e-6, 1e-10);
    CHECK_NEAR(seconds(outcome.finish[0]), 124.4e-6, 1e-10);
}

std::string named(const std::string &name, const std::string &text)
{
    return part(10, part(1, name) + part(29, text));
}

/// ASTRA-sim ends a send before its receive begins, and waits for data alone.
void as_astra_sim()
{
    const std::string large = attribute("comm_size", 9, 131072);
    const auto exchange = [&](std::uint64_t peer) {
        return metadata + node(0, 5, large + attribute("comm_dst", 7, peer)) +
               node(1, 6, part(5, varint(0)) + large + attribute("comm_src", 7, peer));
    };
    Platform small = platform();
    small.classes[0].eager_below = 1024;
    CHECK(simulate(small, read({exchange(1), exchange(0)})).deadlock.empty());

    const Program missing = read({metadata + node(1, 4, number(7, 30) + part(4, varint(9)))});
    CHECK_NEAR(seconds(simulate(platform(), missing).total), 30e-6, 1e-10);
    CHECK(missing.notices.size() == 1);
}

void numbers()
{
    const float operations = 2e6F;
    std::string bits(4, '\0');
    std::memcpy(bits.data(), &operations, 4);
    const std::string real = part(10, part(1, "num_ops") + varint(5 << 3 | 5) + bits);
    CHECK_NEAR(seconds(simulate(platform(), read({metadata + node(1, 4, real)})).total),
               2e6 / platform().flops_per_second, 1e-9);
    const Program both =
        read({metadata + node(1, 4, number(7, 30) + attribute("is_cpu_op", 27, 1)) +
              node(2, 4, number(7, 40))});
    CHECK(both.notices.size() == 1);
}

/// Groups of two ranks each, as ranks use them or as a node tells them: an allreduce has two
/// messages in each, and twelve or more of four ranks.
void process_groups()
{
    const auto file = [](const std::string &group, const std::string &before) {
        return metadata + before +
               node(2, 7,
                    attribute("comm_type", 9, 0) + attribute("comm_size", 9, 800) +
                        named("pg_name", group));
    };
    const Program used = read({file("0", ""), file("1", ""), file("0", ""), file("1", "")});
    CHECK(simulate(platform(), used).messages == 4);
    CHECK(simulate(platform(), used).deadlock.empty() && used.notices.size() == 1);
    const std::string told = node(
        1, 1,
        part(8, part(1, R"(['[{"pg_name":"0","ranks":[0,2]},{"pg_name":"1","ranks":[3,1]}]'])")));
    const Program known =
        read({file("0", told), file("1", told), file("0", told), file("1", told)});
    CHECK(simulate(platform(), known).messages == 4 && known.notices.empty());
    const std::string world = node(1, 1, part(8, part(1, R"(['[{"pg_name":"0","ranks":[]}]'])")));
    CHECK(read({file("0", world), file("0", world)}).notices.empty());
    CHECK(contains(error_of([&] {
                       read({file("0", told), file("0", told), file("0", told)});
                   }),
                   "process groups"));
}

void refused()
{
    const auto why = [](std::vector<std::string> files) { return error_of([&] { read(files); }); };
    CHECK(contains(why({metadata + node(1, 4, number(5, 5))}), "depends on 5"));
    CHECK(contains(why({metadata + node(1, 4, number(4, 1))}), "circle"));
    CHECK(contains(why({metadata + node(1, 4, "") + node(1, 4, "")}), "two nodes"));
    CHECK(contains(why({metadata + node(1, 5, attribute("comm_dst", 7, 1))}), "peer"));
    CHECK(contains(why({trace()[0].substr(0, 30)}), "cut off"));
    CHECK(contains(why({metadata + node(1, 7, attribute("comm_type", 9, 10))}), "10"));
    CHECK(contains(why({metadata + node(1, 4, number(7, 1'000'000'000'000'000))}), "too long"));
}

void damaged()
{
    ReaderOptions small;
    small.memory_bytes = 1 << 22;
    rankwise::test::Mutation mutation(2024, {std::string("\xff\xff\xff\xff\x0f"), "\x08", "\x12"});
    int whole = 0, broken = 0;
    for (int i = 0; i < 5000; i++)
        try {
            std::vector<std::string> files = trace();
            files[i % 2] = mutation.damaged(files[i % 2]);
            const Program program = read(files, small);
            simulate(platform(), program);
            whole++;
        } catch (const Error &error) {
            CHECK(error.exit_code() == kExitInput || error.exit_code() == kExitHost);
            CHECK(is_text(error.what()));
            broken++;
        }
    CHECK(whole > 100 && broken > 1000);
}

} // namespace

int main()
{
    meaning();
    as_astra_sim();
    numbers();
    process_groups();
    refused();
    damaged();
    return rankwise::test::conclude();
}
