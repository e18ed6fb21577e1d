// The operations of all ranks, in few large blocks of memory: one rank's behind another's, as files
// have them.
#pragma once
#include "huge_pages.h"
#include "operation.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankwise::sim
{

/// A sequence of operations for each rank. The one that grew last grows where it is; others move to
/// twice the room, and leave theirs to those that come to that size after them.
class Sequences
{
  public:
    explicit Sequences(std::size_t ranks) : places_(ranks)
    {
    }
    Sequences(Sequences &&) = default;
    Sequences &operator=(Sequences &&) = default;

    std::size_t size() const
    {
        return places_.size();
    }
    void resize(std::size_t ranks)
    {
        places_.resize(ranks);
    }
    std::span<const Operation> operator[](std::size_t rank) const
    {
        return {places_[rank].operations, places_[rank].count};
    }
    void append(std::size_t rank, Operation operation)
    {
        Place &place = places_[rank];
        if (place.count == place.room) [[unlikely]]
            grow(rank, place.count + 1);
        place.operations[place.count++] = operation;
    }
    /// Make room for so many operations of a rank in all; what is not used is given back.
    void reserve(std::size_t rank, std::size_t count)
    {
        if (count > places_[rank].room)
            grow(rank, count);
    }

  private:
    struct Place {
        Operation *operations = nullptr;
        std::uint32_t count = 0, room = 0;
    };
    void grow(std::size_t rank, std::size_t least);
    bool grow_in_place(std::size_t rank, std::size_t least);
    Operation *take_room(std::size_t count);

    std::vector<Place> places_;
    std::vector<HugeBlock<Operation>> blocks_;
    Operation *free_ = nullptr, *end_ = nullptr;    // of the last block
    std::size_t last_ = SIZE_MAX;                   // the rank whose operations end at `free_`
    std::array<std::vector<Operation *>, 32> left_; // rooms of 2^i that were moved out of
};

} // namespace rankwise::sim
