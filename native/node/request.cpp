#include "request.h"

#include "base/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>

namespace rankwise
{

namespace
{

constexpr std::uint32_t kMagic = 0x726b7732; // "rkw2"
constexpr std::uint32_t kMostBytes = 16U << 20;
constexpr std::uint64_t kMostStrings = 1U << 20; // more than any exec takes
constexpr std::size_t kStreams = 3;

struct Header {
    std::uint32_t magic = kMagic;
    RequestKind kind = RequestKind::run;
    std::uint32_t words = 0;
    std::uint32_t variables = 0;
    std::uint32_t bytes = 0; // of the strings that follow, each ended by a NUL
    Inherited inherited;
};

std::string packed(const Request &request)
{
    std::string text = request.folder + '\0';
    for (const std::string &word : request.words)
        text += word + '\0';
    for (const std::string &variable : request.variables)
        text += variable + '\0';
    return text;
}

// Takes strings off the front of a packed request.
class Strings
{
  public:
    explicit Strings(std::string_view text) : rest_(text)
    {
    }
    std::string next()
    {
        const std::size_t end = rest_.find('\0');
        if (end == std::string_view::npos)
            throw input_error("a request breaks off");
        std::string text(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return text;
    }
    bool at_end() const
    {
        return rest_.empty();
    }

  private:
    std::string_view rest_;
};

bool makes_sense(const Header &header)
{
    return header.magic == kMagic && header.kind <= RequestKind::setting &&
           header.bytes <= kMostBytes &&
           std::uint64_t{header.words} + header.variables <= kMostStrings;
}

void receive_all(int socket, void *data, std::size_t size)
{
    char *next = static_cast<char *>(data);
    while (size > 0) {
        const ssize_t received = ::recv(socket, next, size, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received <= 0)
            throw input_error("a request breaks off");
        next += received;
        size -= static_cast<std::size_t>(received);
    }
}

// The header comes with the descriptors, in one message.
std::array<Descriptor, kStreams> receive_streams(int socket, Header &header)
{
    iovec part{&header, sizeof header};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kStreams * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    // Not the room with its padding: a fourth descriptor would fit in there, and stay open.
    message.msg_controllen = CMSG_LEN(kStreams * sizeof(int));
    const ssize_t size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    std::array<Descriptor, kStreams> streams;
    const cmsghdr *passed = CMSG_FIRSTHDR(&message);
    if (passed != nullptr && passed->cmsg_type == SCM_RIGHTS) {
        std::array<int, kStreams> numbers{-1, -1, -1};
        const std::size_t bytes = passed->cmsg_len - CMSG_LEN(0);
        std::memcpy(numbers.data(), CMSG_DATA(passed), std::min(bytes, sizeof numbers));
        for (std::size_t i = 0; i < kStreams; ++i)
            streams[i] = Descriptor(numbers[i]);
    }
    if (size != static_cast<ssize_t>(sizeof header) || !makes_sense(header) ||
        (message.msg_flags & MSG_CTRUNC) != 0 || !streams[kStreams - 1].is_open())
        throw input_error("this is not a request");
    return streams;
}

} // namespace

Inherited own_inherited()
{
    Inherited own;
    own.umask = ::umask(0);
    ::umask(own.umask);
    for (std::size_t kind = 0; kind < own.limits.size(); ++kind)
        ::getrlimit(static_cast<__rlimit_resource>(kind), &own.limits[kind]);
    return own;
}

bool send_request(int socket, const Request &request, const std::array<int, 3> &streams)
{
    std::string text = packed(request);
    Header header{kMagic,
                  request.kind,
                  static_cast<std::uint32_t>(request.words.size()),
                  static_cast<std::uint32_t>(request.variables.size()),
                  static_cast<std::uint32_t>(text.size()),
                  request.inherited};
    iovec part{&header, sizeof header};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof streams)> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr *passed = CMSG_FIRSTHDR(&message);
    passed->cmsg_level = SOL_SOCKET;
    passed->cmsg_type = SCM_RIGHTS;
    passed->cmsg_len = CMSG_LEN(sizeof streams);
    std::memcpy(CMSG_DATA(passed), streams.data(), sizeof streams);
    if (::sendmsg(socket, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof header))
        return false;
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t more = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return false;
        sent += static_cast<std::size_t>(more);
    }
    return true;
}

ReceivedRequest receive_request(int socket)
{
    Header header;
    ReceivedRequest received{{}, receive_streams(socket, header)};
    std::string text(header.bytes, '\0');
    receive_all(socket, text.data(), text.size());
    Strings strings(text);
    received.request.kind = header.kind;
    received.request.inherited = header.inherited;
    received.request.folder = strings.next();
    for (std::uint32_t i = 0; i < header.words; ++i)
        received.request.words.push_back(strings.next());
    for (std::uint32_t i = 0; i < header.variables; ++i)
        received.request.variables.push_back(strings.next());
    if (!strings.at_end())
        throw input_error("a request goes on after its end");
    return received;
}

bool send_exit_code(int socket, int code)
{
    const std::int32_t answer = code;
    return ::send(socket, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
}

int receive_exit_code(int socket)
{
    std::int32_t answer = 0;
    const ssize_t size = ::recv(socket, &answer, sizeof answer, MSG_WAITALL);
    return size == sizeof answer ? answer : -1;
}

} // namespace rankwise
