// The side that answers: echoes datagrams, counts them, discards streams.
#pragma once
#include "clock.h"
#include "control.h"
#include "datagram.h"
#include "socket.h"

#include <cstdint>
#include <string>

namespace rankwise::probe
{

class Server
{
  public:
    explicit Server(std::uint16_t port);

    /// Serve one client after another until one tells us to end.
    void run();

  private:
    /// False: this client has told us to end.
    bool serve_client();
    void receive_datagrams();
    void answer(const std::string &line);
    /// Count what arrives by a stream, once `skip` is over, until the client resets it.
    std::string discard_stream(Nanoseconds skip);

    Socket datagrams_;
    Socket listening_;
    std::uint64_t counted_ = 0;
    /// What the kernel threw away because we did not read fast enough: not lost on the path.
    std::uint32_t overflowed_ = 0;
    std::uint32_t overflowed_before_ = 0;
    Control control_{Socket()};
};

} // namespace rankwise::probe
