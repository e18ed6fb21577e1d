#include "relay.h"

#include "base/error.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <netdb.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace rankwise::relay
{

namespace
{

constexpr int kTurnMilliseconds = 100;

sockaddr_in anywhere(std::uint16_t port)
{
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    return at;
}

sockaddr_in resolve(const std::string &where)
{
    const std::size_t colon = where.rfind(':');
    if (colon == std::string::npos)
        throw input_error("'" + where + "' is not HOST:PORT");
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_family = AF_INET;
    wanted.ai_socktype = SOCK_STREAM;
    const int wrong = ::getaddrinfo(where.substr(0, colon).c_str(), where.substr(colon + 1).c_str(),
                                    &wanted, &found);
    if (wrong != 0)
        throw host_error("cannot find the relay at " + where + ": " + ::gai_strerror(wrong));
    const sockaddr_in at = *reinterpret_cast<const sockaddr_in *>(found->ai_addr);
    ::freeaddrinfo(found);
    return at;
}

Descriptor watched_signals()
{
    sigset_t set;
    ::sigemptyset(&set);
    for (const int one : {SIGTERM, SIGINT, SIGHUP})
        ::sigaddset(&set, one);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

TrunkSettings common_settings(const Options &options)
{
    TrunkSettings common;
    common.site = options.site;
    common.streams = options.streams;
    common.window = options.window.value_or(options.window_max);
    common.measured = !options.window;
    common.paced = options.pacing;
    common.patience_seconds = options.patience_seconds;
    common.instance = new_instance();
    return common;
}

} // namespace

Relay::Relay(const Options &options)
    : poller_(options.spin_seconds),
      context_(options.key, "", [this](std::string_view name) { return others_.key_named(name); }),
      registry_(options.patience_seconds), common_(common_settings(options)),
      others_(poller_, common_),
      doorway_(poller_, context_, options.job_key, anywhere(*options.port), *this),
      signals_(watched_signals()), until_eof_(options.until_eof)
{
    for (std::uint32_t site = 0; site < options.sites.size(); site++) {
        if (site == options.site)
            continue;
        TrunkSettings settings = common_;
        settings.to_site = site;
        settings.name = options.sites[site];
        if (const auto peer = options.peers.find(site); peer != options.peers.end()) {
            settings.address = resolve(peer->second);
            settings.address_text = peer->second;
        }
        trunks_[site] = std::make_unique<Trunk>(poller_, context_, registry_, std::move(settings));
    }
    poller_.add(signals_.number(), [this](std::uint32_t) { ended_ = true; });
}

void Relay::watch_input()
{
    std::array<char, 256> unused{};
    ssize_t got = 0;
    do {
        got = ::read(STDIN_FILENO, unused.data(), unused.size());
    } while (got > 0);
    ended_ = ended_ || got == 0;
}

void Relay::relay_came(std::unique_ptr<Stream> &stream, const Greeting &greeting)
{
    if (!stream->key_name().empty()) {
        others_.relay_came(stream, greeting);
        return;
    }
    const auto found = trunks_.find(greeting.site);
    if (found == trunks_.end())
        throw ProtocolError("it is the relay of no site of this job");
    found->second->adopt(stream, greeting);
}

void Relay::process_called(const Call &call, const sockaddr_in &from, Descriptor &socket)
{
    sockaddr_in at = from;
    at.sin_port = htons(call.port);
    switch (call.wish) {
    case Call::Wish::visit:
        others_.visit(call, std::move(socket));
        return;
    case Call::Wish::connect: {
        const auto found = trunks_.find(call.site);
        if (found == trunks_.end())
            throw ProtocolError("it asked for a site that there is no way to");
        found->second->open(call.target, std::move(socket));
        return;
    }
    case Call::Wish::let_in:
        others_.let_in(call, at);
        break;
    case Call::Wish::listens:
        registry_.add(call.target, at);
    }
    // Who does not read this is not there any more.
    [[maybe_unused]] const auto sent = ::send(socket.number(), "y", 1, MSG_NOSIGNAL);
}

void Relay::turn()
{
    doorway_.turn();
    registry_.turn();
    for (const auto &[site, trunk] : trunks_)
        trunk->turn();
    others_.turn();
}

void Relay::run()
{
    if (until_eof_ && ::fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == 0)
        poller_.add(STDIN_FILENO, [this](std::uint32_t) { watch_input(); });
    double next_turn = 0;
    while (!ended_) {
        const double time = now();
        if (time >= next_turn) {
            turn();
            next_turn = time + 1e-3 * kTurnMilliseconds;
        }
        for (const auto &[site, trunk] : trunks_)
            trunk->pump();
        others_.pump();
        poller_.wait(kTurnMilliseconds);
    }
    for (const auto &[site, trunk] : trunks_)
        trunk->take_leave();
    others_.take_leave();
}

std::string Relay::report() const
{
    std::string text;
    for (const auto &[site, trunk] : trunks_)
        text += trunk->report();
    text += others_.report();
    if (doorway_.refused() > 0)
        text += "refused " + std::to_string(doorway_.refused()) + " strangers\n";
    return text;
}

} // namespace rankwise::relay
