// However many strangers come, and whatever they say: who has the key gets in, those who are
// connected come first, and descriptors stay free.
#include "base/tests/check.h"
#include "base/tests/mutation.h"
#include "doorway.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <vector>

using namespace rankwise;
using namespace rankwise::relay;
using namespace rankwise::test;

namespace
{

constexpr char kJobKey[] = "of the job";
constexpr std::uint32_t kProcess = 7, kStranger = 8; // ranks
constexpr int kDescriptors = 400; // of this process, so that a quarter is soon reached

class Called : public Household
{
  public:
    int processes = 0;
    void relay_came(std::unique_ptr<Stream> &, const Greeting &) override
    {
        throw ProtocolError("there are no relays in this test");
    }
    void process_called(const Call &call, const sockaddr_in &, Descriptor &) override
    {
        processes += call.target.rank == kProcess;
    }
};

struct Door {
    Poller poller{0};
    TlsContext context{Key{1}};
    Called called;
    sockaddr_in anywhere{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
    Doorway doorway{poller, context, kJobKey, anywhere, called};

    void turns(int count)
    {
        for (int i = 0; i < count; i++)
            poller.wait(5);
    }
};

/// From 127.0.0.`host`; not open: there is no room at the door.
Descriptor connected(const Door &door, unsigned host)
{
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
    CHECK(::bind(socket.number(), reinterpret_cast<sockaddr *>(&at), sizeof at) == 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(door.doorway.port());
    if (::connect(socket.number(), reinterpret_cast<sockaddr *>(&at), sizeof at) != 0 &&
        errno != EINPROGRESS)
        return Descriptor();
    return socket;
}

void say(const Descriptor &socket, const std::string &words)
{
    [[maybe_unused]] const auto sent =
        ::send(socket.number(), words.data(), words.size(), MSG_NOSIGNAL);
}

bool was_sent_away(const Descriptor &socket)
{
    char byte = 0;
    const auto got = ::recv(socket.number(), &byte, 1, 0);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

std::string call_of(std::uint32_t rank)
{
    std::string call = "rankgate";
    for (const std::uint32_t word : {kProtocol, 1U, 0U, rank, 0U, 1U})
        for (int bits = 24; bits >= 0; bits -= 8)
            call += static_cast<char>(word >> bits);
    call += kJobKey;
    call.resize(kCallBytes);
    return call;
}

std::ptrdiff_t open_descriptors()
{
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
}

void test_those_connected_come_before_strangers()
{
    Poller poller(0);
    const Descriptor ours(::eventfd(0, EFD_NONBLOCK));
    std::vector<Descriptor> strangers;
    std::string order;
    for (int i = 0; i < 40; i++) {
        strangers.emplace_back(::eventfd(0, EFD_NONBLOCK));
        poller.add(
            strangers.back().number(), [&](std::uint32_t) { order += 's'; }, Poller::Of::strangers);
    }
    poller.add(ours.number(), [&](std::uint32_t) { order += 'o'; });
    poller.wait(0);
    CHECK(order.substr(0, 1) == "o" && order.size() > 1);
    while (order.size() < 41)
        poller.wait(5); // none is forgotten
    // One that is always ready gets its turns, and the other one each turn.
    int turns = 0, heard = 0;
    poller.remove(ours.number());
    poller.add(ours.number(), [&](std::uint32_t) { heard++; });
    poller.remove(strangers[0].number());
    poller.add(
        strangers[0].number(),
        [&](std::uint32_t) {
            for (const double begun = now(); now() < begun + 2e-3;) {
            }
            poller.again(strangers[0].number());
        },
        Poller::Of::strangers);
    for (; turns < 50; turns++) {
        poller.again(ours.number());
        poller.wait(0);
    }
    CHECK(heard >= turns);
}

void test_the_oldest_of_an_address_makes_room_and_others_stay()
{
    Door door;
    const Descriptor other = connected(door, 2);
    door.turns(3);
    std::vector<Descriptor> flood;
    for (int i = 0; i < 120; i++) {
        flood.push_back(connected(door, 1));
        door.turns(1);
    }
    door.turns(60);
    CHECK(!was_sent_away(other));
    CHECK(was_sent_away(flood.front()) && !was_sent_away(flood.back()));
    CHECK(door.doorway.refused() >= 60 && door.doorway.refused() <= 119);
    say(other, call_of(kProcess));
    door.turns(20);
    CHECK(door.called.processes == 1);
}

void test_who_has_the_key_gets_in_whatever_strangers_say(int strangers)
{
    Door door;
    Mutation mutation(20261126, {});
    const std::string call = call_of(kProcess), damaged = call_of(kStranger);
    const std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
    std::vector<Descriptor> there;
    std::ptrdiff_t most = 0;
    int came = 0;
    const std::ptrdiff_t before = open_descriptors();
    for (int i = 0; i < strangers; i++) {
        const std::size_t kind = mutation.below(6);
        Descriptor stranger = connected(door, static_cast<unsigned>(1 + mutation.below(4)));
        if (!stranger.is_open())
            continue;
        if (kind == 1)
            say(stranger, mutation.damaged(damaged));
        else if (kind == 2)
            say(stranger, hello + std::string(mutation.below(600), 'x'));
        else if (kind == 3)
            say(stranger, damaged.substr(0, 1 + mutation.below(kCallBytes - 1)));
        else if (kind == 4)
            stranger.close();
        there.push_back(std::move(stranger));
        if (there.size() > 100)
            there.erase(there.begin(), there.begin() + 50);
        door.turns(1);
        if (i % 50 == 0) {
            most = std::max(most, open_descriptors() - static_cast<std::ptrdiff_t>(there.size()) -
                                      before);
            const int known = door.called.processes;
            const Descriptor process = connected(door, 5);
            say(process, call);
            for (int turn = 0; turn < 400 && door.called.processes == known; turn++)
                door.turns(1);
            came++;
        }
    }
    CHECK(door.called.processes == came);
    CHECK(most <= kDescriptors / 4 + 5);
    std::cout << came << " processes among " << strangers << " strangers, at most " << most
              << " descriptors\n";
}

} // namespace

int main()
{
    const char *const asked = std::getenv("RANKWISE_FUZZ_MESSAGES");
    const rlimit few{kDescriptors, kDescriptors};
    CHECK(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    test_those_connected_come_before_strangers();
    test_the_oldest_of_an_address_makes_room_and_others_stay();
    test_who_has_the_key_gets_in_whatever_strangers_say(asked ? std::atoi(asked) / 50 : 1000);
    return conclude();
}
