// An agent takes what the remote shell sends and nothing else, and whatever comes leaves no open
// files.
#include "base/error.h"
#include "base/tests/check.h"
#include "base/tests/mutation.h"
#include "request.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/socket.h>
#include <thread>
#include <vector>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

struct Pair {
    Descriptor shell;
    Descriptor agent;
};

Pair connected()
{
    std::array<int, 2> ends{-1, -1};
    CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const int room = 1 << 20; // so that nothing waits for the other side
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::size_t open_files()
{
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

const Request usual{RequestKind::run,
                    "/home/me",
                    {"mpiexec", "-n", "4", "", "./a.out"},
                    {"PATH=/bin", "EMPTY=", "NEWLINE=a\nb"},
                    {027, {rlimit{1, 2}}}};

bool equal(const Request &one, const Request &other)
{
    return one.kind == other.kind && one.folder == other.folder && one.words == other.words &&
           one.variables == other.variables && one.inherited.umask == other.inherited.umask &&
           one.inherited.limits[0].rlim_cur == other.inherited.limits[0].rlim_cur &&
           one.inherited.limits[0].rlim_max == other.inherited.limits[0].rlim_max;
}

void what_is_sent_is_received()
{
    for (const RequestKind kind :
         {RequestKind::run, RequestKind::run_at_home, RequestKind::setting}) {
        Request request = usual;
        request.kind = kind;
        request.words.push_back(std::string(100'000, 'x'));
        const Pair pair = connected();
        CHECK(send_request(pair.shell.number(), request, {0, 1, 2}));
        const ReceivedRequest received = receive_request(pair.agent.number());
        CHECK(equal(received.request, request));
        for (const Descriptor &stream : received.streams)
            CHECK(stream.number() > 2 && (::fcntl(stream.number(), F_GETFD) & FD_CLOEXEC) != 0);
    }
}

/// What send_request writes for the usual request.
std::string usual_bytes()
{
    const Pair pair = connected();
    CHECK(send_request(pair.shell.number(), usual, {0, 1, 2}));
    std::string bytes;
    std::array<char, 4096> some{};
    for (ssize_t got = 0;
         (got = ::recv(pair.agent.number(), some.data(), some.size(), MSG_DONTWAIT)) > 0;)
        bytes.append(some.data(), static_cast<std::size_t>(got));
    return bytes;
}

void send_bytes(int socket, const std::string &bytes, std::size_t files)
{
    const std::vector<int> numbers(files, 0);
    std::vector<char> control(CMSG_SPACE(files * sizeof(int)));
    std::string copy = bytes;
    iovec part{copy.data(), copy.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (files > 0) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr *passed = CMSG_FIRSTHDR(&message);
        passed->cmsg_level = SOL_SOCKET;
        passed->cmsg_type = SCM_RIGHTS;
        passed->cmsg_len = CMSG_LEN(files * sizeof(int));
        std::memcpy(CMSG_DATA(passed), numbers.data(), files * sizeof(int));
    }
    ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// What is received when these bytes come with so many open files, and then the end.
std::optional<Request> received(const std::string &bytes, std::size_t files)
{
    Pair pair = connected();
    send_bytes(pair.shell.number(), bytes, files);
    pair.shell.close();
    try {
        return receive_request(pair.agent.number()).request;
    } catch (const Error &error) {
        CHECK(error.exit_code() == kExitInput);
        return std::nullopt;
    }
}

/// A header begins with five words, each 32 bits: magic, kind, words, variables, bytes.
std::string with_field(std::string bytes, std::size_t field, std::uint32_t value)
{
    bytes.replace(field * 4, 4, reinterpret_cast<const char *>(&value), 4);
    return bytes;
}

void what_is_no_request_is_refused()
{
    const std::string whole = usual_bytes();
    CHECK(received(whole, 3) && equal(*received(whole, 3), usual));
    for (const std::size_t files : {0U, 1U, 2U, 4U, 9U})
        CHECK(!received(whole, files));
    for (std::size_t length = 0; length < whole.size(); length++)
        CHECK(!received(whole.substr(0, length), 3));
    for (std::size_t field = 0; field < 5; field++)
        for (const std::uint32_t value : {0x7fffffffU, 0x80000000U, 0xffffffffU})
            CHECK(!received(with_field(whole, field, value), 3));
    CHECK(!received(with_field(whole, 1, 3), 3)); // there is no such kind
    CHECK(!received(with_field(whole, 2, 4), 3)); // a word less than there is
    CHECK(!received(with_field(whole, 3, 4), 3)); // a variable more
}

/// Two million empty words, which a request may be long enough for, would be 64 MiB of strings.
void too_many_words_are_refused()
{
    constexpr std::uint32_t words = 2'000'000;
    std::string header = usual_bytes();
    std::uint32_t strings = 0;
    std::memcpy(&strings, header.data() + 4 * sizeof strings, sizeof strings);
    header = with_field(header.substr(0, header.size() - strings), 3, 0);
    const std::string text(words + 1, '\0');
    Pair pair = connected();
    std::thread shell([&] {
        send_bytes(pair.shell.number(), with_field(with_field(header, 2, words), 4, words + 1), 3);
        send_bytes(pair.shell.number(), text, 0);
    });
    bool refused = false;
    try {
        receive_request(pair.agent.number());
    } catch (const Error &) {
        refused = true;
    }
    pair.agent.close();
    shell.join();
    CHECK(refused);
}

void fuzz()
{
    const std::string whole = usual_bytes();
    Mutation mutation(19990504,
                      {std::string(4, '\0'), std::string(4, '\xff'), std::string(300, 'y')});
    const std::size_t before = open_files();
    int taken = 0, refused = 0;
    for (int i = 0; i < 20'000; i++) {
        const std::string bytes = mutation.damaged(whole);
        const std::size_t files = mutation.below(4) == 0 ? mutation.below(8) : 3;
        (received(bytes, files) ? taken : refused)++;
    }
    CHECK(taken > 100 && refused > 1000); // both happen, or nothing was tested
    CHECK(open_files() == before);
    std::cout << taken << " taken, " << refused << " refused\n";
}

} // namespace

int main()
{
    what_is_sent_is_received();
    what_is_no_request_is_refused();
    too_many_words_are_refused();
    fuzz();
    return conclude();
}
