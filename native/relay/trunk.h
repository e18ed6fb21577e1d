// All that goes between this site's relay and another one's: several streams, of which any may
// break and is made anew, and the connections of processes that share them.
#pragma once
#include "channel.h"
#include "link_meter.h"
#include "registry.h"
#include "stream.h"
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankwise::relay
{

struct TrunkSettings {
    std::uint32_t site = 0, to_site = 0;
    std::string name;                   // of the other site
    std::optional<sockaddr_in> address; // of its relay, if we are to call it
    std::string address_text;
    std::uint32_t streams = 0;
    std::uint64_t window = 0, instance = 0; // `window`: the most
    bool measured = true;                   // the window follows the link
    bool paced = true;
    double patience_seconds = 0;
    bool abroad = false; // it is a relay of another job, which comes and goes
};

struct TrunkCounters {
    std::uint64_t connections = 0, sent_bytes = 0, received_bytes = 0;
    std::uint64_t breaks = 0, sent_again = 0, most_kept_bytes = 0;
};

class Trunk : public StreamOwner
{
  public:
    Trunk(Poller &poller, const TlsContext &context, Registry &registry, TrunkSettings settings);

    /// A process of ours wants to reach one of that site.
    void open(Target target, Descriptor socket);
    /// The other relay has called; the stream is taken unless this throws.
    void adopt(std::unique_ptr<Stream> &stream, const Greeting &greeting);
    /// Sends what there is, as far as the streams take it.
    void pump();
    /// Several times a second: calls, asks for life signs. Throws Error if the other relay has been
    /// away for too long.
    void turn();
    void take_leave();
    /// Nothing goes between the two jobs any more, or can.
    bool is_over() const;
    /// What it has carried, in words for users.
    std::string report() const;

    void trusted(Stream &stream) override;
    void greeted(Stream &stream, const Greeting &greeting) override;
    void arrived(Stream &stream, const Frame &frame, Bytes data, bool more) override;
    void writable(Stream &stream) override;
    void lost(Stream &stream, const std::string &why, bool farewell) override;

  private:
    Greeting greeting(std::uint32_t stream) const;
    void accept(const Greeting &theirs);
    Channel &add(std::uint32_t number, Target target);
    void open_for_them(const Frame &frame);
    void remove(std::uint32_t number);
    void reset_all(const std::string &words);
    void give_up(const std::string &why);
    void wake(std::uint32_t number);
    void answer_reset(Channel &channel, std::uint64_t reason);
    void answer_unknown(const Frame &frame);
    Stream *free_stream(std::uint32_t near);
    bool send_one(Channel &channel, Stream &stream);
    void send_all();
    void drop(std::size_t at, const std::string &why);
    void call(std::size_t at);
    bool is_up() const;
    void measure(double time);
    std::uint64_t limit() const;
    void apply_limit();
    void say(const std::string &words) const;
    void came_up();

    Poller &poller_;
    const TlsContext &context_;
    Registry &registry_;
    TrunkSettings settings_;
    std::uint64_t their_instance_ = 0, window_, limit_; // agreed on; as channels have it now
    LinkMeter meter_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<double> called_;
    std::map<std::uint32_t, std::unique_ptr<Channel>> channels_;
    std::deque<std::uint32_t> work_;
    std::deque<Frame> resets_;
    std::uint32_t next_number_;
    double down_since_, busy_;
    bool ever_up_ = false, left_ = false;
    std::string last_words_; // why it is not up
    TrunkCounters counters_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true); // for what the registry keeps
};

} // namespace rankwise::relay
