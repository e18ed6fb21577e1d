// What one relay writes, the other reads as it was meant.
#include "base/tests/check.h"
#include "call.h"
#include "frame.h"
#include "tls.h"

#include "base/byte_order.h"
#include "base/error.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

using namespace rankwise;
using namespace rankwise::relay;
using namespace rankwise::test;

namespace
{

std::string refusal(const std::uint8_t *words, const std::string &key)
{
    try {
        read_call(words, key);
    } catch (const ProtocolError &error) {
        return error.what();
    }
    return "";
}

void test_frames()
{
    std::array<std::uint8_t, kFrameBytes> bytes{};
    const Frame frame = {FrameKind::data, 77, kMostPayload, (std::uint64_t{1} << 40) + 5, 3, 512};
    write_frame(frame, bytes.data());
    const Frame read = read_frame(bytes.data());
    CHECK(read.kind == frame.kind && read.channel == 77 && read.length == kMostPayload);
    CHECK(read.offset == frame.offset && read.acknowledged == 3 && read.window == 512);
    for (const bool meeting : {false, true})
        CHECK(target_of(number_of({12345, meeting})) == Target{12345, meeting});
}

void test_greetings()
{
    std::array<std::uint8_t, kGreetingBytes> bytes{};
    write_greeting({2, 1, 3, 4, 0xfeedfacecafebeef, 4 << 20}, bytes.data());
    const Greeting read = read_greeting(bytes.data());
    CHECK(read.site == 2 && read.to_site == 1 && read.stream == 3 && read.streams == 4);
    CHECK(read.instance == 0xfeedfacecafebeef && read.window == 4 << 20);
    put32(bytes.data() + 4, 0);
    try {
        read_greeting(bytes.data());
        CHECK(!"an old version was taken");
    } catch (const ProtocolError &error) {
        CHECK(std::string(error.what()).find("it speaks version 0") == 0);
    }
}

void test_calls()
{
    std::array<std::uint8_t, kCallBytes> bytes{};
    std::memcpy(bytes.data(), "rankgate", 8);
    put32(bytes.data() + 8, kProtocol);
    put32(bytes.data() + 12, 2);
    put32(bytes.data() + 16, 1);
    put32(bytes.data() + 20, 9);
    put32(bytes.data() + 24, 1);
    std::memcpy(bytes.data() + 32, "key", 3);
    const Call call = read_call(bytes.data(), "key");
    CHECK(call.wish == Call::Wish::connect && call.site == 1);
    CHECK(call.target == Target{9, true});
    CHECK(refusal(bytes.data(), "kez") == "it is of another job");
    CHECK(refusal(bytes.data(), "key ") == "it is of another job");
    put32(bytes.data() + 28, 80);
    const std::string nonsense = "what it asks for makes no sense";
    CHECK(refusal(bytes.data(), "key") == nonsense);
    const std::string port_key(kPortKeyDigits, 'b');
    put32(bytes.data() + 12, 4);
    CHECK(refusal(bytes.data(), "key") == nonsense);
    std::copy(port_key.begin(), port_key.end(), bytes.begin() + 32 + kJobKeyBytes);
    CHECK(refusal(bytes.data(), "key") == nonsense); // at no address
    put32(bytes.data() + 32 + 2 * kJobKeyBytes, 0x7f000001);
    const Call visit = read_call(bytes.data(), "key");
    CHECK(visit.wish == Call::Wish::visit && visit.port == 80 && visit.port_key == port_key);
    CHECK(visit.address == 0x7f000001);
    put32(bytes.data() + 28, 0);
    CHECK(refusal(bytes.data(), "key") == nonsense);
    put32(bytes.data() + 12, 3);
    CHECK(read_call(bytes.data(), "key").wish == Call::Wish::let_in); // no longer
    put32(bytes.data() + 12, 5);
    CHECK(refusal(bytes.data(), "key") == nonsense);
}

void test_keys()
{
    const Key key = read_key("00ff" + std::string(60, 'a'));
    CHECK(key[0] == 0 && key[1] == 0xff && key[31] == 0xaa);
    for (const std::string &wrong :
         {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g')})
        try {
            read_key(wrong);
            CHECK(!"a wrong key was taken");
        } catch (const Error &error) {
            CHECK(error.exit_code() == kExitInput);
        }
}

} // namespace

int main()
{
    test_frames();
    test_greetings();
    test_calls();
    test_keys();
    return conclude();
}
