#include "sequences.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rankwise::sim
{

namespace
{

constexpr std::size_t kLeastRoom = 4;
constexpr std::size_t kFirstBlock = std::size_t{1} << 12, kLargestBlock = std::size_t{1} << 20;

} // namespace

/// Only the last one's room ends where the free memory begins.
bool Sequences::grow_in_place(std::size_t rank, std::size_t least)
{
    Place &place = places_[rank];
    const auto beside = static_cast<std::size_t>(end_ - free_);
    if (last_ != rank || least - place.room > beside)
        return false;
    const std::size_t more =
        std::min(beside, std::max<std::size_t>(least - place.room, place.room / 4 + kLeastRoom));
    place.room += static_cast<std::uint32_t>(more);
    free_ += more;
    return true;
}

Operation *Sequences::take_room(std::size_t count)
{
    if (last_ != SIZE_MAX) { // what it does not need: it may go on, and must not move each time
        Place &last = places_[last_];
        const std::size_t kept = std::min<std::size_t>(last.room, std::bit_ceil(last.count + 1U));
        free_ -= last.room - kept;
        last.room = static_cast<std::uint32_t>(kept);
    }
    if (static_cast<std::size_t>(end_ - free_) < count) {
        const std::size_t blocks = std::min<std::size_t>(blocks_.size(), 8);
        const std::size_t room = std::max(count, std::min(kLargestBlock, kFirstBlock << blocks));
        blocks_.emplace_back(room);
        free_ = blocks_.back().begin();
        end_ = free_ + room;
    }
    Operation *const operations = free_;
    free_ += count;
    return operations;
}

void Sequences::grow(std::size_t rank, std::size_t least)
{
    if (least > UINT32_MAX / 2)
        throw std::bad_array_new_length();
    if (grow_in_place(rank, least))
        return;
    const std::size_t room =
        places_[rank].room == 0 ? std::max(least, kLeastRoom) : std::bit_ceil(least);
    auto &left = left_[static_cast<std::size_t>(std::bit_width(room)) - 1];
    Operation *operations = nullptr;
    if (std::has_single_bit(room) && !left.empty()) {
        operations = left.back();
        left.pop_back();
        last_ = last_ == rank ? SIZE_MAX : last_;
    } else {
        operations = take_room(room);
        last_ = rank;
    }
    const Place before = places_[rank]; // taking room may have given some of it back
    std::copy_n(before.operations, before.count, operations);
    if (before.room > 0)
        left_[static_cast<std::size_t>(std::bit_width(before.room)) - 1].push_back(
            before.operations);
    places_[rank] = {operations, before.count, static_cast<std::uint32_t>(room)};
}

} // namespace rankwise::sim
