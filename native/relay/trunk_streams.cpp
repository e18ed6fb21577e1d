// The life of a trunk's streams: called, greeted, silent, lost and made anew.
#include "base/error.h"
#include "trunk.h"
#include <algorithm>
#include <cstdio>
#include <utility>

namespace rankwise::relay
{

namespace
{

constexpr double kCallAgainSeconds = 0.25, kCallSeconds = 3, kLifeSignSeconds = 1,
                 kSilenceSeconds = 5, kIdleSeconds = 5;
/// Relays start at about the same time: that one is not there yet is not worth a word.
constexpr double kQuietSeconds = 2;

std::string seconds_text(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

} // namespace

void Trunk::accept(const Greeting &theirs)
{
    if (theirs.site != settings_.to_site || theirs.to_site != settings_.site)
        throw ProtocolError("it is the relay of another site");
    if (theirs.streams != settings_.streams)
        throw ProtocolError("it has another number of streams");
    if (their_instance_ != theirs.instance) {
        if (their_instance_ != 0) {
            say("the relay of " + settings_.name + " was started anew: its connections are gone");
            reset_all("it was started anew");
        }
        their_instance_ = theirs.instance;
    }
    window_ = std::min(settings_.window, theirs.window);
    apply_limit();
}

void Trunk::came_up()
{
    if (!last_words_.empty())
        say("the link to " + settings_.name + (ever_up_ ? " is back after " : " is there after ") +
            seconds_text(now() - down_since_));
    last_words_.clear();
    ever_up_ = true;
    left_ = false;
}

void Trunk::adopt(std::unique_ptr<Stream> &stream, const Greeting &theirs)
{
    accept(theirs);
    if (settings_.address)
        throw ProtocolError("it called, though it is to be called");
    if (streams_[theirs.stream])
        drop(theirs.stream, "the other side has opened it again");
    stream->greet(greeting(theirs.stream));
    stream->give_to(*this);
    streams_[theirs.stream] = std::move(stream);
    came_up();
}

void Trunk::call(std::size_t at)
{
    called_[at] = now();
    try {
        streams_[at] = std::make_unique<Stream>(poller_, context_, *settings_.address, *this);
    } catch (const StreamError &why) {
        last_words_ = why.what();
        if (settings_.abroad && !ever_up_)
            give_up(last_words_);
    }
}

/// Another job's relay is gone, and with it its processes: not this one's work.
void Trunk::give_up(const std::string &why)
{
    left_ = true;
    say("the relay of " + settings_.name + ": " + why);
    reset_all(why);
}

void Trunk::trusted(Stream &stream)
{
    for (std::uint32_t at = 0; at < streams_.size(); at++)
        if (streams_[at].get() == &stream)
            stream.greet(greeting(at));
}

void Trunk::greeted(Stream &, const Greeting &theirs)
{
    accept(theirs);
    came_up();
}

void Trunk::writable(Stream &)
{
    // The next pump finds it.
}

void Trunk::lost(Stream &stream, const std::string &why, bool farewell)
{
    const auto found = std::find_if(streams_.begin(), streams_.end(),
                                    [&](const auto &one) { return one.get() == &stream; });
    if (found == streams_.end())
        return;
    left_ = left_ || farewell;
    drop(static_cast<std::size_t>(found - streams_.begin()), why);
}

void Trunk::drop(std::size_t at, const std::string &why)
{
    const bool was_open = streams_[at]->is_open(), was_up = is_up();
    streams_[at].reset();
    if (!was_open) {
        // It was there before anybody was told of its port: nothing is to be waited for.
        if (settings_.abroad && !ever_up_)
            give_up(why);
        else if (!is_up() && last_words_ != why && now() - down_since_ > kQuietSeconds) {
            last_words_ = why;
            say("cannot reach the relay of " + settings_.name + " at " + settings_.address_text +
                ": " + why + "; trying for " + seconds_text(settings_.patience_seconds));
        }
        return;
    }
    if (left_) {
        if (!is_up()) {
            if (settings_.abroad && !channels_.empty())
                say("the relay of " + settings_.name +
                    " has ended, and these connections with it: " +
                    std::to_string(channels_.size()));
            reset_all("it has gone");
        }
        return;
    }
    counters_.breaks++;
    for (auto &[number, channel] : channels_) {
        counters_.sent_again += channel->resume();
        wake(number);
    }
    if (was_up && !is_up()) {
        down_since_ = now();
        last_words_ = why;
        say("the link to " + settings_.name + " is broken: " + why + "; waiting for it for " +
            seconds_text(settings_.patience_seconds));
    }
}

std::uint64_t Trunk::limit() const
{
    return settings_.measured ? std::min(meter_.window(), window_) : window_;
}

void Trunk::apply_limit()
{
    if (limit() == limit_)
        return;
    limit_ = limit();
    for (auto &[number, channel] : channels_)
        channel->limit(limit_);
}

/// All streams together are the link: it is full if none of them lacks anything to send.
void Trunk::measure(double time)
{
    LinkSample all;
    all.limited = false;
    for (const auto &stream : streams_) {
        if (!stream || !stream->is_open())
            continue;
        const LinkSample one = stream->sample();
        all.rate += one.rate;
        all.rtt = all.rtt > 0 && one.rtt > 0 ? std::min(all.rtt, one.rtt) : all.rtt + one.rtt;
        all.limited = all.limited || one.limited;
    }
    meter_.add(time, all);
    if (const double rate = meter_.pacing_rate(); settings_.paced && rate > 0)
        for (const auto &stream : streams_)
            if (stream && stream->is_open())
                stream->pace(rate);
    apply_limit();
}

void Trunk::turn()
{
    const double time = now();
    measure(time);
    for (std::size_t at = 0; at < streams_.size(); at++) {
        if (!streams_[at]) {
            // One at first: the others follow when it gets through.
            if (settings_.address && !left_ && (at == 0 || is_up()) &&
                time - called_[at] > kCallAgainSeconds)
                call(at);
        } else if (!streams_[at]->is_open()) {
            if (time - called_[at] > kCallSeconds)
                drop(at, "it does not answer");
        } else if (time - streams_[at]->heard() > kSilenceSeconds) {
            drop(at, "it was silent for " + seconds_text(kSilenceSeconds));
        } else if (streams_[at]->is_free() && time - streams_[at]->spoke() > kLifeSignSeconds) {
            Stream &stream = *streams_[at];
            try {
                stream.send({}, nullptr);
            } catch (const StreamError &why) {
                lost(stream, why.what(), false);
            }
        }
    }
    if (!channels_.empty())
        busy_ = time;
    if (is_up() || left_ || time - down_since_ <= settings_.patience_seconds)
        return;
    const std::string why = "could not be reached for " + seconds_text(settings_.patience_seconds) +
                            (last_words_.empty() ? "" : ": " + last_words_);
    if (!settings_.abroad)
        throw Error(kExitBroken, "the relay of " + settings_.name + " " + why,
                    "does a firewall close its port? did its site's job start?");
    give_up(why);
}

bool Trunk::is_over() const
{
    if (!settings_.abroad || !channels_.empty())
        return false;
    return left_ ? !is_up() : settings_.address && now() - busy_ > kIdleSeconds;
}

void Trunk::take_leave()
{
    left_ = true;
    for (const auto &one : streams_)
        if (one && one->is_open())
            one->take_leave();
}

} // namespace rankwise::relay
