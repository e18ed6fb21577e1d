// The relay of a site: its door, its processes, and a trunk to each other site.
#pragma once
#include "doorway.h"
#include "options.h"
#include "other_jobs.h"
#include "poller.h"
#include "registry.h"
#include "tls.h"
#include "trunk.h"
#include <map>
#include <memory>
#include <string>

namespace rankwise::relay
{

class Relay : public Household
{
  public:
    explicit Relay(const Options &options);

    std::uint16_t port() const
    {
        return doorway_.port();
    }
    /// Until it is told to end. Throws Error if another relay is away for too long.
    void run();
    /// What it has done, a line for each other site.
    std::string report() const;

    void relay_came(std::unique_ptr<Stream> &stream, const Greeting &greeting) override;
    void process_called(const Call &call, const sockaddr_in &from, Descriptor &socket) override;

  private:
    void turn();
    void watch_input();

    Poller poller_;
    TlsContext context_;
    Registry registry_;
    TrunkSettings common_;
    std::map<std::uint32_t, std::unique_ptr<Trunk>> trunks_;
    OtherJobs others_;
    Doorway doorway_;
    Descriptor signals_;
    bool until_eof_, ended_ = false;
};

} // namespace rankwise::relay
