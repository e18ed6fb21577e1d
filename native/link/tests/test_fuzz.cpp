// Whatever a node sends over whatever network, nothing breaks: to be run with sanitizers.
#include "base/error.h"
#include "base/tests/check.h"
#include "base/tests/mutation.h"
#include "world.h"
#include <random>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

class Fuzzer
{
  public:
    Bytes random_bytes(std::size_t most)
    {
        Bytes bytes(below(most));
        for (std::uint8_t &byte : bytes)
            byte = static_cast<std::uint8_t>(random_());
        return bytes;
    }

    /// A proper packet, then some of its header bytes, or its length, are not.
    Bytes damaged()
    {
        Bytes bytes = tcp_bytes({.source = static_cast<NodeIndex>(below(3)),
                                 .destination = static_cast<NodeIndex>(below(3)),
                                 .payload = static_cast<std::uint32_t>(below(60'000)),
                                 .segment = static_cast<std::uint16_t>(1 + below(9000)),
                                 .flags = static_cast<std::uint8_t>(random_()),
                                 .ip_options = 4 * below(11)});
        for (std::size_t hits = below(4); hits > 0; hits--)
            bytes[below(std::min<std::size_t>(bytes.size(), 110))] =
                static_cast<std::uint8_t>(random_());
        if (below(4) == 0)
            bytes.resize(below(bytes.size() + 1));
        if (below(20) == 0)
            bytes.resize(bytes.size() + below(5000), 0xaa);
        return bytes;
    }

    /// Headers of version 6, or of a kind that does not exist.
    Bytes other_headers()
    {
        Bytes bytes = random_bytes(4000);
        bytes.resize(bytes.size() + ip_at + 80);
        put_virtio(bytes,
                   {static_cast<std::uint8_t>(below(4)), static_cast<std::uint8_t>(below(6)),
                    static_cast<std::uint16_t>(random_()), static_cast<std::uint16_t>(below(2000)),
                    static_cast<std::uint16_t>(below(3) == 0 ? random_() : 54), 16});
        put_macs(bytes, 0, static_cast<NodeIndex>(below(4)));
        put16(&bytes[ethernet_at + 12], 0x86dd);
        bytes[ip_at] = 0x60;
        bytes[ip_at + 6] = 6;
        bytes[ip_at + 40 + 12] = static_cast<std::uint8_t>(random_());
        return bytes;
    }

    std::size_t below(std::size_t limit)
    {
        return std::uniform_int_distribution<std::size_t>(0, limit - (limit > 0))(random_);
    }

  private:
    std::mt19937_64 random_{20061130};
};

/// What holds for every frame that is taken.
void check_frame(const Frame &frame, Fuzzer &fuzzer)
{
    CHECK(frame.segments() >= 1);
    CHECK(frame.wire_bytes() >= frame.segments() * 84);
    CHECK(frame.wire_bytes() <= frame.segments() * frame.segment_wire_bytes());
    if (frame.segments() == 1)
        return;
    const auto cut = static_cast<std::uint32_t>(1 + fuzzer.below(frame.segments() - 1));
    const Frame front = frame.slice(0, cut), back = frame.slice(cut, frame.segments() - cut);
    CHECK(front.wire_bytes() + back.wire_bytes() == frame.wire_bytes());
    Frame shorter = frame.copy();
    shorter.truncate(cut);
    CHECK(shorter.wire_bytes() == front.wire_bytes());
    CHECK(shorter.bytes().size() == front.bytes().size());
    CHECK(std::memcmp(shorter.bytes().data(), front.bytes().data(), front.bytes().size()) == 0);
    const auto again = Frame::parse(back.bytes());
    CHECK(again && again->segments() == back.segments());
}

/// Networks that can be read, however extreme, carry packets without overflows of virtual time.
void extreme_networks(Fuzzer &fuzzer)
{
    const std::string line = "1e9 1000 100000 500 exponential 0.01 3";
    Mutation mutation(1,
                      {"0", "1", "1e3", "1e6", "1e12", "1e13", "0.5", "1000", "normal", "uniform"});
    int read_networks = 0;
    for (int i = 0; i < 3000; i++) {
        const std::string text = mutation.damaged(
            star(2, line, line, "option segment_limit 65536\noption bus 1.25\noption mtu 1500"));
        try {
            if (read(text).nodes.size() != 2)
                continue;
            World world(text);
            read_networks++;
            for (Time at = 0; at < 60; at++)
                world.network_switch.accept(
                    static_cast<NodeIndex>(at % 2),
                    tcp_frame({.source = static_cast<NodeIndex>(at % 2),
                               .destination = static_cast<NodeIndex>(1 - at % 2),
                               .payload = static_cast<std::uint32_t>(fuzzer.below(60'000))}),
                    at * microsecond);
            world.run();
            std::uint64_t arrived = 0;
            for (const World::Arrival &arrival : world.arrivals) {
                CHECK(arrival.time >= 0);
                arrived += arrival.segments;
            }
            CHECK(arrived == world.network_switch.counters().delivered_packets);
        } catch (const Error &error) {
            CHECK(error.exit_code() == kExitInput);
        }
    }
    CHECK(read_networks > 100);
    std::cout << read_networks << " networks\n";
}

} // namespace

int main()
{
    Fuzzer fuzzer;
    extreme_networks(fuzzer);
    World world(star(3, "1e9 0 100000 0 normal 0.05 1", "1e8 1000 50000 500 exponential 0.1 3",
                     "option acknowledgements_first 1\noption bus 1.25"));
    std::size_t taken = 0, refused = 0;
    for (Time i = 0; i < 20'000; i++) {
        const std::size_t kind = fuzzer.below(8);
        const Bytes bytes = kind == 0   ? fuzzer.random_bytes(3000)
                            : kind == 1 ? fuzzer.other_headers()
                                        : fuzzer.damaged();
        std::optional<Frame> frame = Frame::parse(bytes);
        (frame ? taken : refused)++;
        if (!frame)
            continue;
        check_frame(*frame, fuzzer);
        world.network_switch.accept(static_cast<NodeIndex>(fuzzer.below(3)), std::move(*frame),
                                    i * 100 * microsecond);
    }
    world.run();
    CHECK(taken > 2000 && refused > 2000); // both ways are taken often
    CHECK(world.arrivals.size() > 1000);
    return conclude();
}
