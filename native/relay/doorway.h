// The one listening port: whoever comes is a relay or a process of the job, or is sent away soon.
//
// Strangers cost those who are connected already little: few are accepted in a turn, and so many
// wait at a time. The oldest one makes room for the next: of those from the same address where they
// are many, and of those who have not shown a key before those who have.
#pragma once
#include "base/descriptor.h"
#include "call.h"
#include "poller.h"
#include "stream.h"
#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <netinet/in.h>
#include <string>

namespace rankwise::relay
{

/// What is behind the door. All may throw ProtocolError: then the guest is refused after all.
class Household
{
  public:
    virtual ~Household() = default;
    virtual void relay_came(std::unique_ptr<Stream> &stream, const Greeting &greeting) = 0;
    virtual void process_called(const Call &call, const sockaddr_in &from, Descriptor &socket) = 0;
};

class Doorway : public StreamOwner
{
  public:
    Doorway(Poller &poller, const TlsContext &context, std::string job_key, const sockaddr_in &at,
            Household &household);
    ~Doorway() override;
    Doorway(const Doorway &) = delete;
    Doorway &operator=(const Doorway &) = delete;

    /// Where it listens.
    std::uint16_t port() const;
    /// Now and then: sends away those who have shown no key for too long, lets in who still waits.
    void turn();
    std::uint64_t refused() const
    {
        return refused_;
    }

    void trusted(Stream &stream) override;
    void greeted(Stream &stream, const Greeting &greeting) override;
    void arrived(Stream &stream, const Frame &frame, Bytes data, bool more) override;
    void writable(Stream &stream) override;
    void lost(Stream &stream, const std::string &why, bool farewell) override;

  private:
    struct Guest {
        Descriptor socket; // until it is known who it is
        std::unique_ptr<Stream> stream;
        sockaddr_in from{};
        double since = 0;
        std::array<std::uint8_t, kCallBytes> said{};
        std::size_t length = 0;
    };
    using Place = std::list<Guest>::iterator;

    void accept();
    bool accept_one();
    void make_room(const Guest &newcomer);
    Place oldest(const std::function<bool(const Guest &)> &among);
    void hear(Place guest);
    void refuse(Place guest, const std::string &why);
    Place guest_of(const Stream &stream);

    Poller &poller_;
    const TlsContext &context_;
    std::string job_key_;
    Household &household_;
    Descriptor listener_;
    std::list<Guest> guests_; // the oldest first
    std::size_t most_guests_;
    std::uint64_t refused_ = 0;
};

} // namespace rankwise::relay
