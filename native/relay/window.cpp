#include "window.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace rankwise::relay
{

namespace
{
/// A window of very small pieces is full before it has all its bytes: each costs memory of its own.
constexpr std::uint64_t kLeastPiece = 256;
} // namespace

Chunk::Chunk(std::uint64_t begins, Bytes data, bool last)
    : offset(begins), length(static_cast<std::uint32_t>(data.size())), end(last),
      frame(new std::uint8_t[kFrameBytes + data.size()])
{
    std::copy(data.begin(), data.end(), frame.get() + kFrameBytes);
}

SendWindow::SendWindow(std::uint64_t bytes) : bytes_(bytes)
{
}

std::size_t SendWindow::room() const
{
    if (finished_ || chunks_.size() >= bytes_ / kLeastPiece)
        return 0;
    return static_cast<std::size_t>(bytes_ - std::min(bytes_, added_ - acknowledged_));
}

void SendWindow::add(Bytes data)
{
    chunks_.push_back(std::make_shared<Chunk>(added_, data, false));
    added_ += data.size();
}

void SendWindow::finish()
{
    chunks_.push_back(std::make_shared<Chunk>(added_, Bytes(), true));
    added_++;
    finished_ = true;
}

std::shared_ptr<Chunk> SendWindow::next()
{
    if (!has_next())
        return nullptr;
    const auto &chunk = chunks_[next_++];
    sent_ = std::max(sent_, chunk->after());
    return chunk;
}

void SendWindow::acknowledged(std::uint64_t up_to)
{
    if (up_to > sent_)
        throw ProtocolError("it acknowledged what was never sent");
    acknowledged_ = std::max(acknowledged_, up_to);
    while (!chunks_.empty() && chunks_.front()->after() <= acknowledged_) {
        chunks_.pop_front();
        next_ -= next_ > 0 ? 1 : 0;
    }
}

std::size_t SendWindow::rewind()
{
    return std::exchange(next_, 0);
}

ReceiveWindow::ReceiveWindow(std::uint64_t bytes) : bytes_(bytes)
{
}

void ReceiveWindow::check(std::uint64_t offset, std::uint64_t length) const
{
    if (offset + length > delivered_ + bytes_ + 1)
        throw ProtocolError("it sent more than it was allowed to");
    if (has_end_ && offset + length > end_)
        throw ProtocolError("it sent data after it had ended a connection");
}

void ReceiveWindow::arrive(std::uint64_t offset, Bytes data, const Sink &sink)
{
    check(offset, data.size());
    if (offset < delivered_) {
        const std::uint64_t old = std::min<std::uint64_t>(delivered_ - offset, data.size());
        offset += old;
        data = data.subspan(static_cast<std::size_t>(old));
    }
    const auto waits = [this] { return !pieces_.empty() && pieces_.begin()->first <= delivered_; };
    if (offset == delivered_ && !waits() && !data.empty()) {
        const std::size_t taken = sink(data);
        delivered_ += taken;
        offset += taken;
        data = data.subspan(taken);
    }
    if (!data.empty()) {
        auto &piece = pieces_[offset];
        if (piece.size() < data.size()) {
            kept_ += data.size() - piece.size();
            piece.assign(data.begin(), data.end());
        }
        if (pieces_.size() > bytes_ / kLeastPiece + 1 || kept_ > 2 * bytes_)
            throw ProtocolError("it sent data in too many pieces");
    }
    if (waits())
        drain(sink);
}

void ReceiveWindow::arrive_end(std::uint64_t offset, const Sink &sink)
{
    check(offset, 0);
    if (has_end_ ? offset != end_ : offset < delivered_)
        throw ProtocolError("it ended a connection at two places");
    if (!pieces_.empty() && std::prev(pieces_.end())->first >= offset)
        throw ProtocolError("it sent data after it had ended a connection");
    end_ = offset;
    has_end_ = true;
    drain(sink);
}

void ReceiveWindow::drain(const Sink &sink)
{
    while (!pieces_.empty() && pieces_.begin()->first <= delivered_) {
        const auto piece = pieces_.begin();
        const std::uint64_t old =
            std::min<std::uint64_t>(delivered_ - piece->first, piece->second.size());
        const Bytes rest = Bytes(piece->second).subspan(static_cast<std::size_t>(old));
        const std::size_t taken = rest.empty() ? 0 : sink(rest);
        delivered_ += taken;
        if (taken < rest.size())
            return;
        kept_ -= piece->second.size();
        pieces_.erase(piece);
    }
}

} // namespace rankwise::relay
