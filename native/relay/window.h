// Bytes of one connection on their way through a link that may break: nothing is lost, nothing
// comes twice, and no more than a window of them is kept at either end.
#pragma once
#include "frame.h"
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace rankwise::relay
{

using Bytes = std::span<const std::uint8_t>;

/// A piece of a connection's data, with room for a frame's header before it.
struct Chunk {
    Chunk(std::uint64_t begins, Bytes data, bool last);
    std::uint64_t offset;
    std::uint32_t length;
    bool end; // the end of the data, which counts as one byte
    std::unique_ptr<std::uint8_t[]> frame;
    std::uint64_t after() const
    {
        return offset + length + (end ? 1 : 0);
    }
};

/// The sending end: keeps everything until it is acknowledged.
class SendWindow
{
  public:
    explicit SendWindow(std::uint64_t bytes);

    /// From now on; more than that may be kept already.
    void limit(std::uint64_t bytes)
    {
        bytes_ = bytes;
    }
    /// How many bytes may be added now.
    std::size_t room() const;
    void add(Bytes data);
    /// There will be no more; once.
    void finish();
    bool finished() const
    {
        return finished_;
    }
    /// The next piece that is to be sent, or nothing.
    std::shared_ptr<Chunk> next();
    bool has_next() const
    {
        return next_ < chunks_.size();
    }
    /// Throws ProtocolError for what was never sent.
    void acknowledged(std::uint64_t up_to);
    /// All that was not acknowledged is to be sent again; returns how many pieces that are.
    std::size_t rewind();
    /// The other side has all, the end too.
    bool done() const
    {
        return finished_ && chunks_.empty();
    }
    std::uint64_t kept() const
    {
        return added_ - acknowledged_;
    }

  private:
    std::uint64_t bytes_, added_ = 0, sent_ = 0, acknowledged_ = 0;
    bool finished_ = false;
    std::deque<std::shared_ptr<Chunk>> chunks_; // not acknowledged, in order
    std::size_t next_ = 0;                      // of `chunks_`
};

/// The receiving end: puts in order, and keeps what the process does not take yet.
class ReceiveWindow
{
  public:
    /// Takes the first bytes of what it is given, and says how many.
    using Sink = std::function<std::size_t(Bytes)>;

    explicit ReceiveWindow(std::uint64_t bytes);

    /// Throws ProtocolError for what was not allowed to come.
    void arrive(std::uint64_t offset, Bytes data, const Sink &sink);
    void arrive_end(std::uint64_t offset, const Sink &sink);
    void drain(const Sink &sink);

    /// Up to where all has gone out, the end too.
    std::uint64_t delivered() const
    {
        return delivered_ + (done() ? 1 : 0);
    }
    /// All has gone out.
    bool done() const
    {
        return has_end_ && delivered_ == end_;
    }
    std::uint64_t kept() const
    {
        return kept_;
    }

  private:
    void check(std::uint64_t offset, std::uint64_t length) const;

    std::uint64_t bytes_, delivered_ = 0, end_ = 0, kept_ = 0;
    bool has_end_ = false;
    std::map<std::uint64_t, std::vector<std::uint8_t>> pieces_; // by offset, `delivered_` or later
};

} // namespace rankwise::relay
