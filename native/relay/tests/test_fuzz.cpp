// Whatever comes, it is read or refused with a sentence; what is read keeps its promises.
#include "base/tests/check.h"
#include "base/tests/mutation.h"
#include "call.h"
#include "frame.h"
#include "window.h"

#include <cstdlib>
#include <iostream>
#include <string>

using namespace rankwise;
using namespace rankwise::relay;
using namespace rankwise::test;

namespace
{

const std::uint8_t *bytes_of(const std::string &text)
{
    return reinterpret_cast<const std::uint8_t *>(text.data());
}

struct Count {
    int read = 0, refused = 0;
};

template <typename Read> void try_to(Count &count, Read read)
{
    try {
        read();
        count.read++;
    } catch (const ProtocolError &error) {
        CHECK(std::string(error.what()).size() > 10);
        count.refused++;
    }
}

void check_frame(const Frame &frame)
{
    CHECK(frame.length <= kMostPayload);
    CHECK((frame.kind == FrameKind::data) == (frame.length > 0));
    CHECK((frame.kind == FrameKind::ping) == (frame.channel == 0));
    CHECK(frame.offset + frame.length >= frame.offset);
}

/// Frames into a connection, as a relay that has the key and means harm would send them.
void attack(Mutation &mutation, Count &count)
{
    constexpr std::uint64_t window = 4096;
    SendWindow sent(window);
    ReceiveWindow received(window);
    std::uint64_t taken = 0;
    const std::string data(kMostPayload, 'x');
    const ReceiveWindow::Sink sink = [&](Bytes bytes) {
        const std::size_t some = mutation.below(bytes.size() + 1);
        taken += some;
        return some;
    };
    for (int frames = 0; frames < 40; frames++) {
        bool refused = false;
        try_to(count, [&] {
            refused = true;
            const std::uint64_t offset =
                mutation.below(3) == 0 ? mutation.below(SIZE_MAX / 2) : mutation.below(9000);
            if (mutation.below(8) == 0)
                received.arrive_end(offset, sink);
            else
                received.arrive(offset, Bytes(bytes_of(data), 1 + mutation.below(700)), sink);
            sent.acknowledged(mutation.below(2));
            refused = false;
        });
        CHECK(received.kept() <= 3 * window);
        CHECK(received.delivered() >= taken);
        if (refused)
            return;
    }
}

} // namespace

int main()
{
    const char *const asked = std::getenv("RANKWISE_FUZZ_MESSAGES");
    const int messages = asked ? std::atoi(asked) : 50'000;
    Mutation mutation(19990912, {});
    std::string frame(kFrameBytes, '\0'), greeting(kGreetingBytes, '\0'), call(kCallBytes, '\0');
    write_frame({FrameKind::data, 5, 100, 1000, 10},
                reinterpret_cast<std::uint8_t *>(frame.data()));
    write_greeting({1, 0, 2, 4, 99, 1 << 20}, reinterpret_cast<std::uint8_t *>(greeting.data()));
    call.replace(0, 16, std::string("rankgate\0\0\0\2\0\0\0\3", 16));
    call.replace(32, 3, "key");
    call.replace(32 + kJobKeyBytes, kPortKeyDigits, std::string(kPortKeyDigits, 'a'));
    Count frames, greetings, calls, attacks;
    const auto damaged = [&](const std::string &valid) {
        std::string text = mutation.damaged(valid);
        text.resize(valid.size());
        return text;
    };
    for (int i = 0; i < messages; i++) {
        const std::string one = damaged(frame), two = damaged(greeting), three = damaged(call);
        try_to(frames, [&] { check_frame(read_frame(bytes_of(one))); });
        try_to(greetings, [&] { CHECK(read_greeting(bytes_of(two)).streams > 0); });
        try_to(calls, [&] { CHECK(read_call(bytes_of(three), "key").target.rank <= INT32_MAX); });
        if (i % 10 == 0)
            attack(mutation, attacks);
    }
    for (const Count &one : {frames, greetings, calls, attacks}) {
        std::cout << one.read << " read, " << one.refused << " refused\n";
        CHECK(one.read > messages / 500 && one.refused > messages / 500); // or nothing was tested
    }
    return conclude();
}
