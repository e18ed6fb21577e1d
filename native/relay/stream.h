// One of the TCP connections between two relays: frames within TLS.
#pragma once
#include "base/descriptor.h"
#include "frame.h"
#include "link_meter.h"
#include "poller.h"
#include "tls.h"
#include "window.h"
#include <array>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <vector>

namespace rankwise::relay
{

class Stream;

/// Who has a stream is told what happens to it. All may throw ProtocolError or StreamError, which
/// ends the stream.
class StreamOwner
{
  public:
    virtual ~StreamOwner() = default;
    /// The key is right: whoever has called may say its greeting.
    virtual void trusted(Stream &stream) = 0;
    virtual void greeted(Stream &stream, const Greeting &greeting) = 0;
    /// `more`: the next frame, which follows at once, goes on where these data end.
    virtual void arrived(Stream &stream, const Frame &frame, Bytes data, bool more) = 0;
    virtual void writable(Stream &stream) = 0;
    /// It is of no more use, and is to be destroyed. `farewell`: the other side meant it.
    virtual void lost(Stream &stream, const std::string &why, bool farewell) = 0;
};

class Stream
{
  public:
    /// A connection that somebody else has made to us, of which nothing has been read.
    Stream(Poller &poller, const TlsContext &context, Descriptor socket, StreamOwner &owner);
    /// A connection to another relay, being made.
    Stream(Poller &poller, const TlsContext &context, const sockaddr_in &to, StreamOwner &owner);
    ~Stream();
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    void give_to(StreamOwner &owner)
    {
        owner_ = &owner;
        poller_.trust(socket_.number());
    }
    void greet(const Greeting &greeting);
    /// Both sides have greeted, and the socket takes more.
    bool is_free() const
    {
        return greeted_ && said_ && !pending_ && !full_;
    }
    bool is_open() const
    {
        return greeted_ && said_;
    }
    /// There must be room. `chunk` is sent if there is one, or else the frame alone. Throws
    /// StreamError.
    void send(const Frame &frame, std::shared_ptr<Chunk> chunk);
    /// What was sent so far goes out now. Throws StreamError.
    void flush();
    void take_leave();

    const TlsContext &context() const
    {
        return context_;
    }
    /// See Tls::key_name.
    std::string key_name() const
    {
        return tls_ ? tls_->key_name() : "";
    }
    bool key_was_shown() const
    {
        return tls_ && tls_->key_was_shown();
    }
    LinkSample sample() const
    {
        return sample_of(socket_.number());
    }
    void pace(double rate) const
    {
        rankwise::relay::pace(socket_.number(), rate);
    }
    double heard() const // when
    {
        return heard_;
    }
    double spoke() const
    {
        return spoke_;
    }

  private:
    enum class Phase { connecting, shaking, open };
    struct Pending {
        std::array<std::uint8_t, kGreetingBytes> bytes{};
        std::size_t length = 0;
        std::shared_ptr<Chunk> chunk;
    };
    void start();
    void handle(std::uint32_t events);
    void advance(std::uint32_t events);
    void read();
    std::size_t parse(Bytes bytes);
    void put(Pending what);
    void write();

    Poller &poller_;
    const TlsContext &context_;
    Descriptor socket_;
    StreamOwner *owner_;
    Phase phase_;
    std::optional<Tls> tls_;
    std::optional<Pending> pending_;
    std::vector<std::uint8_t> buffer_;
    std::size_t filled_ = 0;
    bool greeted_ = false, said_ = false;
    bool unsent_ = false, full_ = false; // of what was written: not all has gone out; it cannot now
    double heard_, spoke_;
};

} // namespace rankwise::relay
