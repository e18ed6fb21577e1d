#include "control_socket.h"

#include "base/error.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <utility>

namespace rankwise
{

namespace
{

constexpr std::size_t longest_line_bytes = 4096;
// Far below the limit of open files, at which the listener would stay readable and never be served.
constexpr std::size_t most_clients = 64;

sockaddr_un address_of(const std::string &path)
{
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path)
        throw input_error("the path of the control socket is longer than " +
                          std::to_string(sizeof address.sun_path - 1) + " bytes: " + path);
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    return address;
}

void remove_socket(const std::string &path)
{
    struct stat what {
    };
    if (lstat(path.c_str(), &what) == 0 && S_ISSOCK(what.st_mode))
        unlink(path.c_str());
}

} // namespace

ControlSocket::ControlSocket(std::string path, Answer answer)
    : path_(std::move(path)), answer_(std::move(answer)), ready_(epoll_create1(EPOLL_CLOEXEC)),
      listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
{
    if (ready_.number() < 0 || listener_.number() < 0)
        throw system_error("making the control socket");
    const sockaddr_un address = address_of(path_);
    remove_socket(path_); // of an emulator that was killed
    if (bind(listener_.number(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        throw system_error("making the control socket " + path_);
    if (listen(listener_.number(), 16) != 0)
        throw system_error("listening on the control socket " + path_);
    watch(listener_.number());
}

ControlSocket::~ControlSocket()
{
    remove_socket(path_);
}

int ControlSocket::descriptor() const
{
    return ready_.number();
}

void ControlSocket::watch(int file)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = file;
    epoll_ctl(ready_.number(), EPOLL_CTL_ADD, file, &event);
}

void ControlSocket::handle()
{
    std::array<epoll_event, 16> events{};
    const int most = static_cast<int>(events.size());
    const int count = std::max(0, epoll_wait(ready_.number(), events.data(), most, 0));
    for (const epoll_event &event : std::span(events).first(static_cast<std::size_t>(count))) {
        if (event.data.fd == listener_.number())
            greet();
        else if (!converse(clients_.at(event.data.fd)))
            clients_.erase(event.data.fd);
    }
}

void ControlSocket::greet()
{
    Descriptor file(accept4(listener_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (file.number() < 0 || clients_.size() == most_clients)
        return;
    const int room = 1 << 20; // an answer of counters goes in whole
    setsockopt(file.number(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    const int number = file.number();
    watch(number);
    clients_.insert_or_assign(number, Client{std::move(file), ""});
}

/// False: the connection is over.
bool ControlSocket::converse(Client &client)
{
    std::array<char, longest_line_bytes> bytes{};
    const ssize_t got = recv(client.file.number(), bytes.data(), bytes.size(), 0);
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    client.pending.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t end; (end = client.pending.find('\n')) != std::string::npos;) {
        const std::string answer = answer_(client.pending.substr(0, end)) + "\n";
        client.pending.erase(0, end + 1);
        if (send(client.file.number(), answer.data(), answer.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(answer.size()))
            return false;
    }
    return client.pending.size() < longest_line_bytes;
}

} // namespace rankwise
