#include "trunk.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

namespace rankwise::relay
{

namespace
{

constexpr std::size_t kMostResets = 10'000, kMostChannels = 65'536;

const char *const kWords[kReasons] = {
    "it has gone",
    "it did not come within the time that its relay waits",
    "its relay cannot connect to it",
    "its relay does not know the connection",
};

std::string text_of(const char *format, double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string megabytes(std::uint64_t bytes)
{
    return text_of("%.3f MB", 1e-6 * static_cast<double>(bytes));
}

} // namespace

Trunk::Trunk(Poller &poller, const TlsContext &context, Registry &registry, TrunkSettings settings)
    : poller_(poller), context_(context), registry_(registry), settings_(std::move(settings)),
      window_(settings_.window), limit_(window_), meter_(window_), streams_(settings_.streams),
      called_(settings_.streams, -1e9), next_number_(settings_.address ? 1 : 2), down_since_(now()),
      busy_(down_since_)
{
}

void Trunk::say(const std::string &words) const
{
    std::fprintf(stderr, "rankwise-relay: %s\n", words.c_str());
}

bool Trunk::is_up() const
{
    return std::any_of(streams_.begin(), streams_.end(),
                       [](const auto &one) { return one && one->is_open(); });
}

Greeting Trunk::greeting(std::uint32_t stream) const
{
    return {settings_.site,    settings_.to_site,  stream,
            settings_.streams, settings_.instance, settings_.window};
}

void Trunk::open(Target target, Descriptor socket)
{
    if (left_ || channels_.size() >= kMostChannels)
        return;
    const std::uint32_t number = std::exchange(next_number_, next_number_ + 2);
    add(number, target).caller(std::move(socket));
    wake(number);
}

Channel &Trunk::add(std::uint32_t number, Target target)
{
    counters_.connections++;
    auto &place = channels_[number];
    place = std::make_unique<Channel>(poller_, number, window_, target,
                                      [this, number] { wake(number); });
    place->limit(limit());
    return *place;
}

void Trunk::wake(std::uint32_t number)
{
    const auto found = channels_.find(number);
    if (found == channels_.end() || found->second->queued || !found->second->has_work())
        return;
    found->second->queued = true;
    work_.push_back(number);
}

void Trunk::remove(std::uint32_t number)
{
    channels_.erase(number);
}

void Trunk::reset_all(const std::string &words)
{
    for (auto &[number, channel] : channels_)
        channel->refuse("the relay of " + settings_.name + ": " + words);
    channels_.clear();
    work_.clear();
    resets_.clear();
}

void Trunk::answer_reset(Channel &channel, std::uint64_t reason)
{
    channel.refuse((settings_.abroad ? "" : "site ") + settings_.name + ", rank " +
                   std::to_string(channel.target().rank) + ": " + kWords[reason]);
    remove(channel.number());
}

void Trunk::answer_unknown(const Frame &frame)
{
    if (frame.kind == FrameKind::reset)
        return;
    if (resets_.size() >= kMostResets)
        throw ProtocolError("it goes on with connections that are not there");
    resets_.push_back(
        {FrameKind::reset, frame.channel, 0, static_cast<std::uint64_t>(Reason::unknown), 0});
}

void Trunk::open_for_them(const Frame &frame)
{
    const Target target = target_of(frame.offset);
    const bool never = settings_.abroad && settings_.address;
    if (never || frame.channel % 2 == next_number_ % 2 || channels_.size() >= kMostChannels)
        throw ProtocolError("it opened a connection that is not its to open");
    const std::uint32_t number = frame.channel;
    add(number, target);
    registry_.ask(target, [this, number, alive = std::weak_ptr(alive_)](const auto &at) {
        if (alive.expired())
            return;
        const auto found = channels_.find(number);
        if (found == channels_.end())
            return;
        if (at) {
            found->second->call(*at);
        } else {
            resets_.push_back(
                {FrameKind::reset, number, 0, static_cast<std::uint64_t>(Reason::nobody), 0});
            remove(number);
        }
    });
}

void Trunk::arrived(Stream &, const Frame &frame, Bytes data, bool more)
{
    if (frame.kind == FrameKind::ping)
        return;
    const auto found = channels_.find(frame.channel);
    if (found == channels_.end()) {
        if (frame.kind == FrameKind::open)
            open_for_them(frame);
        else
            answer_unknown(frame);
        return;
    }
    Channel &channel = *found->second;
    counters_.received_bytes += frame.length;
    switch (frame.kind) {
    case FrameKind::reset:
        answer_reset(channel, frame.offset);
        return;
    case FrameKind::open:
        channel.asked_again();
        return;
    case FrameKind::opened:
        channel.opened();
        return;
    default:
        channel.arrived(frame, data, more);
        counters_.most_kept_bytes = std::max(counters_.most_kept_bytes, channel.kept());
        if (channel.is_over())
            remove(frame.channel);
    }
}

Stream *Trunk::free_stream(std::uint32_t near)
{
    const std::size_t count = streams_.size();
    for (std::size_t i = 0; i < count; i++) {
        const auto &one = streams_[(near / 2 + i) % count];
        if (one && one->is_free())
            return one.get();
    }
    return nullptr;
}

bool Trunk::send_one(Channel &channel, Stream &stream)
{
    const auto what = channel.next();
    counters_.most_kept_bytes = std::max(counters_.most_kept_bytes, channel.kept());
    if (what) {
        counters_.sent_bytes += what->first.length;
        stream.send(what->first, what->second);
    }
    return channel.has_work();
}

std::string Trunk::report() const
{
    const TrunkCounters &all = counters_;
    std::string text = "to " + settings_.name + ": " + std::to_string(all.connections) +
                       " connections, " + megabytes(all.sent_bytes) + " sent, " +
                       megabytes(all.received_bytes) + " received; kept at most " +
                       megabytes(all.most_kept_bytes) + " of one; window " + megabytes(limit());
    if (const LinkSample &best = meter_.best(); settings_.measured && best.rate > 0)
        text += " for " + text_of("%.1f MB/s", 1e-6 * best.rate) + " and " +
                text_of("%.3f ms", 1e3 * best.rtt);
    text += "\n";
    if (all.breaks > 0)
        text += "to " + settings_.name + ": streams broke " + std::to_string(all.breaks) +
                " times; " + std::to_string(all.sent_again) + " pieces were sent again\n";
    return text;
}

void Trunk::pump()
{
    send_all();
    for (std::size_t at = 0; at < streams_.size(); at++) {
        try {
            if (streams_[at])
                streams_[at]->flush();
        } catch (const StreamError &why) {
            lost(*streams_[at], why.what(), false);
        }
    }
}

void Trunk::send_all()
{
    while (!resets_.empty() || !work_.empty()) {
        Stream *const stream = free_stream(work_.empty() ? 0 : work_.front());
        if (stream == nullptr)
            return;
        try {
            if (!resets_.empty()) {
                const Frame frame = resets_.front();
                resets_.pop_front();
                stream->send(frame, nullptr);
                continue;
            }
            const std::uint32_t number = work_.front();
            work_.pop_front();
            const auto found = channels_.find(number);
            if (found == channels_.end())
                continue;
            Channel &channel = *found->second;
            channel.queued = false;
            if (channel.broken()) {
                resets_.push_back({FrameKind::reset, number, 0,
                                   static_cast<std::uint64_t>(*channel.broken()), 0});
                remove(number);
                continue;
            }
            if (send_one(channel, *stream))
                wake(number);
            else if (channel.is_over())
                remove(number);
        } catch (const StreamError &why) {
            lost(*stream, why.what(), false);
        }
    }
}

} // namespace rankwise::relay
