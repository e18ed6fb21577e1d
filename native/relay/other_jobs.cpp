#include "other_jobs.h"

#include "base/error.h"
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdio>
#include <iterator>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <utility>

namespace rankwise::relay
{

namespace
{

constexpr std::size_t kMostVisitors = 256, kNameBytes = 16;

/// Of a port's key as users have it, for a purpose: the key of TLS, and its name, which everybody
/// on the way can read, tell nothing of one another.
Key derived(const std::string &purpose, const std::string &port_key)
{
    static_assert(SHA256_DIGEST_LENGTH == kKeyBytes);
    const std::string text = "rankwise port/" + purpose + "/" + port_key;
    Key made{};
    SHA256(reinterpret_cast<const unsigned char *>(text.data()), text.size(), made.data());
    return made;
}

std::string name_of(const std::string &port_key)
{
    const Key digest = derived("name", port_key);
    std::array<char, 2 * kNameBytes + 1> text{};
    for (std::size_t i = 0; i < kNameBytes; i++)
        std::snprintf(text.data() + 2 * i, 3, "%02x", digest[i]);
    return text.data();
}

TrunkSettings abroad(TrunkSettings settings)
{
    settings.site = settings.to_site = kAbroad;
    settings.abroad = true;
    settings.name = "another job";
    return settings;
}

} // namespace

std::uint64_t new_instance()
{
    std::uint64_t number = 0;
    if (RAND_bytes(reinterpret_cast<unsigned char *>(&number), sizeof number) != 1 || number == 0)
        throw host_error("there are no random numbers");
    return number;
}

OtherJobs::OtherJobs(Poller &poller, TrunkSettings common)
    : poller_(poller), common_(abroad(std::move(common))), nobody_(common_.patience_seconds)
{
}

template <typename Act> void OtherJobs::each(Act act) const
{
    for (const auto &[name, port] : ports_)
        for (const auto &[instance, trunk] : port.visitors)
            act(*trunk);
    for (const auto &[where, visit] : visits_)
        act(*visit.trunk);
}

void OtherJobs::let_in(const Call &call, const sockaddr_in &at)
{
    const std::string name = name_of(call.port_key);
    auto port = ports_.find(name);
    if (call.port == 0) {
        if (port != ports_.end())
            port->second.registry.remove(call.target);
        return;
    }
    if (port == ports_.end())
        port =
            ports_.try_emplace(name, derived("key", call.port_key), common_.patience_seconds).first;
    port->second.registry.add(call.target, at);
}

void OtherJobs::visit(const Call &call, Descriptor socket)
{
    const std::tuple where(call.address, call.port, call.port_key);
    auto found = visits_.find(where);
    if (found != visits_.end() && has_ended(*found->second.trunk)) {
        visits_.erase(found);
        found = visits_.end();
    }
    if (found == visits_.end()) {
        found =
            visits_.try_emplace(where, derived("key", call.port_key), name_of(call.port_key)).first;
        TrunkSettings settings = common_;
        settings.instance = new_instance();
        settings.address.emplace();
        settings.address->sin_family = AF_INET;
        settings.address->sin_port = htons(call.port);
        settings.address->sin_addr.s_addr = htonl(call.address);
        settings.address_text = std::string(::inet_ntoa(settings.address->sin_addr)) + ", port " +
                                std::to_string(call.port);
        settings.name += " at " + settings.address_text;
        Visit &visit = found->second;
        visit.trunk = std::make_unique<Trunk>(poller_, visit.context, nobody_, std::move(settings));
    }
    found->second.trunk->open(call.target, std::move(socket));
}

const Key *OtherJobs::key_named(std::string_view name) const
{
    const auto port = ports_.find(name);
    return port == ports_.end() ? nullptr : &port->second.key;
}

void OtherJobs::relay_came(std::unique_ptr<Stream> &stream, const Greeting &greeting)
{
    const auto found = ports_.find(stream->key_name());
    if (found == ports_.end() || greeting.site != kAbroad || greeting.to_site != kAbroad)
        throw ProtocolError("it has the key of a port, and is not the relay of another job");
    Port &port = found->second;
    auto visitor = port.visitors.find(greeting.instance);
    if (visitor == port.visitors.end()) {
        if (port.registry.is_empty() || port.visitors.size() >= kMostVisitors)
            throw ProtocolError("the port that it asks for is closed, or has too many visitors");
        TrunkSettings settings = common_;
        settings.instance = new_instance();
        settings.streams = greeting.streams;
        visitor = port.visitors
                      .emplace(greeting.instance,
                               std::make_unique<Trunk>(poller_, stream->context(), port.registry,
                                                       std::move(settings)))
                      .first;
    }
    visitor->second->adopt(stream, greeting);
}

bool OtherJobs::has_ended(Trunk &trunk)
{
    if (!trunk.is_over())
        return false;
    trunk.take_leave();
    ended_ += trunk.report();
    return true;
}

void OtherJobs::turn()
{
    for (auto port = ports_.begin(); port != ports_.end();) {
        Port &one = port->second;
        one.registry.turn();
        std::erase_if(one.visitors, [this](const auto &visitor) {
            visitor.second->turn();
            return has_ended(*visitor.second);
        });
        port =
            one.registry.is_empty() && one.visitors.empty() ? ports_.erase(port) : std::next(port);
    }
    std::erase_if(visits_, [this](const auto &visit) {
        visit.second.trunk->turn();
        return has_ended(*visit.second.trunk);
    });
}

void OtherJobs::pump()
{
    each([](Trunk &trunk) { trunk.pump(); });
}

void OtherJobs::take_leave()
{
    each([](Trunk &trunk) { trunk.take_leave(); });
}

std::string OtherJobs::report() const
{
    std::string text = ended_;
    each([&text](const Trunk &trunk) { text += trunk.report(); });
    return text;
}

} // namespace rankwise::relay
