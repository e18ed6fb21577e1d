// Through a link that loses, repeats and reorders, all bytes arrive once and in order, and neither
// end keeps more than the window.
#include "base/tests/check.h"
#include "window.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace rankwise;
using namespace rankwise::relay;
using namespace rankwise::test;

namespace
{

constexpr std::uint64_t kWindow = 64 << 10;

std::vector<std::uint8_t> noise(std::mt19937_64 &random, std::size_t bytes)
{
    std::vector<std::uint8_t> data(bytes);
    for (std::uint8_t &one : data)
        one = static_cast<std::uint8_t>(random());
    return data;
}

/// One connection through a bad link, from beginning to end.
void test_journey(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto below = [&random](std::size_t limit) {
        return static_cast<std::size_t>(random() % limit);
    };
    const std::vector<std::uint8_t> data = noise(random, below(600'000));
    std::vector<std::uint8_t> got;
    SendWindow sent(kWindow);
    ReceiveWindow received(kWindow);
    std::size_t hunger = 0; // what the process takes now
    const ReceiveWindow::Sink sink = [&](Bytes bytes) {
        const std::size_t taken = std::min(hunger, bytes.size());
        hunger -= taken;
        got.insert(got.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
        return taken;
    };
    std::vector<std::shared_ptr<Chunk>> on_the_way;
    std::size_t given = 0, steps = 0;
    while (!sent.done() && steps++ < 2'000'000) {
        const std::size_t size =
            std::min({1 + below(below(2) != 0 ? 20 : 16000), sent.room(), data.size() - given});
        if (size > 0) {
            sent.add(Bytes(data).subspan(given, size));
            given += size;
        } else if (given == data.size() && !sent.finished()) {
            sent.finish();
        }
        if (const auto chunk = sent.next())
            on_the_way.push_back(chunk);
        CHECK(sent.kept() <= kWindow + 1 && received.kept() <= kWindow);
        if (below(500) ==
            0) { // the link breaks: some of what is on the way is lost, some still comes
            on_the_way.resize(below(on_the_way.size() + 1));
            sent.rewind();
        }
        if (below(300) == 0) // the link turns out to be another one
            sent.limit(kWindow / (1 + below(4)));
        hunger += below(30'000);
        if (!on_the_way.empty() && below(3) != 0) {
            const auto at =
                on_the_way.begin() + static_cast<std::ptrdiff_t>(below(on_the_way.size()));
            const Chunk &one = **at;
            if (one.end)
                received.arrive_end(one.offset, sink);
            else
                received.arrive(one.offset, {one.frame.get() + kFrameBytes, one.length}, sink);
            on_the_way.erase(at);
        }
        received.drain(sink);
        if (below(4) == 0)
            sent.acknowledged(received.delivered());
    }
    CHECK(sent.done() && received.done());
    CHECK(got == data);
}

template <typename Act> void check_refused(Act act)
{
    try {
        act();
        CHECK(!"nonsense was taken");
    } catch (const ProtocolError &) {
    }
}

void test_what_is_not_allowed()
{
    const std::vector<std::uint8_t> data(100);
    const ReceiveWindow::Sink full = [](Bytes) { return std::size_t{0}; };
    check_refused([&] { ReceiveWindow(1000).arrive(902, data, full); });
    check_refused([&] {
        ReceiveWindow one(1000);
        one.arrive_end(50, full);
        one.arrive(0, data, full);
    });
    check_refused([&] {
        ReceiveWindow one(1000);
        one.arrive_end(50, full);
        one.arrive_end(51, full);
    });
    check_refused([&] {
        ReceiveWindow one(1000);
        one.arrive(0, data, full);
        one.arrive_end(0, full);
    });
    check_refused([&] {
        SendWindow one(1000);
        one.add(data);
        one.acknowledged(1); // it has not been sent
    });
    check_refused([&] { // many small pieces that overlap, each of which has to be kept
        ReceiveWindow one(1 << 20);
        for (std::uint64_t at = 1; at < 1 << 20; at++)
            one.arrive(at, data, full);
    });
}

void test_no_room()
{
    SendWindow one(kWindow);
    const std::vector<std::uint8_t> byte(1);
    while (one.room() > 0)
        one.add(byte);
    CHECK(one.kept() == kWindow / 256); // small pieces cost more than their bytes
    one.finish();
    CHECK(one.room() == 0);
}

void test_a_smaller_window_holds_from_now_on()
{
    SendWindow one(1000);
    const std::vector<std::uint8_t> data(800);
    one.add(data);
    CHECK(one.room() == 200);
    one.limit(600);
    CHECK(one.room() == 0 && one.next()->length == 800);
    one.acknowledged(800);
    CHECK(one.room() == 600);
    one.limit(2000);
    CHECK(one.room() == 2000);
}

} // namespace

int main()
{
    for (std::uint64_t seed = 0; seed < 60; seed++)
        test_journey(seed);
    test_what_is_not_allowed();
    test_no_room();
    test_a_smaller_window_holds_from_now_on();
    return conclude();
}
