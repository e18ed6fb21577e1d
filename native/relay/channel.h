// One connection between two processes, as one of the two relays between them sees it.
#pragma once
#include "base/descriptor.h"
#include "frame.h"
#include "poller.h"
#include "window.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>

namespace rankwise::relay
{

class Channel
{
  public:
    /// `socket` is that of our own process, connected or about to be. `wake`: there is something
    /// to send.
    /// `window`: the most that either end may ever keep.
    Channel(Poller &poller, std::uint32_t number, std::uint64_t window, Target target,
            std::function<void()> wake);
    ~Channel();
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    /// Our process has called, and waits for an answer.
    void caller(Descriptor socket);
    /// We call our process.
    void call(const sockaddr_in &at);
    /// The other side has connected: our process may speak.
    void opened();
    /// The other side asks once more.
    void asked_again();
    /// It did not come to a connection: our process is told why.
    void refuse(const std::string &words);

    /// `more`: what follows these data comes at once.
    void arrived(const Frame &frame, Bytes data, bool more);
    /// What is to be sent next, without the number of the channel.
    std::optional<std::pair<Frame, std::shared_ptr<Chunk>>> next();
    bool has_work() const;
    /// A stream has broken: what may have been lost is sent again. How many pieces.
    std::size_t resume();

    /// How much may be on its way to the other side from now on.
    void limit(std::uint64_t window);

    /// Nothing is left to do here.
    bool is_over() const;
    /// Our process is gone, or could not be reached; the other side has to be told.
    std::optional<Reason> broken() const
    {
        return broken_;
    }
    bool has_all() const
    {
        return received_.done();
    }
    std::uint64_t kept() const
    {
        return sent_.kept() + received_.kept();
    }
    Target target() const
    {
        return target_;
    }
    std::uint32_t number() const
    {
        return number_;
    }
    bool queued = false; // in the list of those that have something to send

  private:
    void watch();
    void handle(std::uint32_t events);
    void connected();
    std::size_t deliver(Bytes data);
    void read();
    void look_after_delivery();

    Poller &poller_;
    std::uint32_t number_;
    Target target_;
    std::function<void()> wake_;
    Descriptor socket_;
    SendWindow sent_;
    ReceiveWindow received_;
    ReceiveWindow::Sink sink_;
    std::uint64_t window_, their_window_; // of either direction, now
    std::uint64_t told_ = 0;              // up to where the other side knows that all has gone out
    unsigned untold_ = 0;                 // frames since
    bool calls_ = false;                  // our process called, and has to be answered
    bool connecting_ = false, open_ = false;
    bool open_due_ = false, opened_due_ = false, acknowledge_due_ = false;
    bool readable_ = false, hung_up_ = false, shut_ = false, more_ = false;
    std::optional<Reason> broken_;
};

} // namespace rankwise::relay
