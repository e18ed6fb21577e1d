// Connections between processes of two jobs, by way of a relay of each. Who knows a port's key may
// come, and reaches those that have said under this key that they let others in, and nobody else.
#pragma once
#include "call.h"
#include "poller.h"
#include "registry.h"
#include "tls.h"
#include "trunk.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

namespace rankwise::relay
{

/// Names a run of a relay, or a link to another job.
std::uint64_t new_instance();

class OtherJobs
{
  public:
    OtherJobs(Poller &poller, TrunkSettings common);

    /// A process of ours lets in who knows the port's key, at this place, or no longer (port 0).
    void let_in(const Call &call, const sockaddr_in &at);
    /// A process of ours wants to reach one of another job.
    void visit(const Call &call, Descriptor socket);
    /// That of a port that is open, or has visitors; NULL: there is none.
    const Key *key_named(std::string_view name) const;
    /// Another job's relay has called, and has the key of one of our ports. Throws ProtocolError.
    void relay_came(std::unique_ptr<Stream> &stream, const Greeting &greeting);

    void turn();
    void pump();
    void take_leave();
    std::string report() const;

  private:
    struct Port {
        Port(const Key &its_key, double patience) : key(its_key), registry(patience)
        {
        }
        Key key;
        Registry registry;
        std::map<std::uint64_t, std::unique_ptr<Trunk>> visitors; // by their relays' instance
    };
    struct Visit {
        Visit(const Key &key, const std::string &name) : context(key, name)
        {
        }
        TlsContext context;
        std::unique_ptr<Trunk> trunk;
    };
    /// What it has carried is kept: it can be destroyed.
    bool has_ended(Trunk &trunk);
    template <typename Act> void each(Act act) const;

    Poller &poller_;
    TrunkSettings common_;
    Registry nobody_; // comes to our processes through a link that they have made
    std::map<std::string, Port, std::less<>> ports_; // by the names of their keys
    std::map<std::tuple<std::uint32_t, std::uint16_t, std::string>, Visit> visits_;
    std::string ended_; // reports of links that are over
};

} // namespace rankwise::relay
