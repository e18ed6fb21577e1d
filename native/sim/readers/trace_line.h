// A line of a time-independent trace as nearly all are, read in one pass: traces have millions.
#pragma once
#include "../program.h"
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rankwise::sim
{

/// `RANK ACTION PEER TAG [SIZE [DATATYPE]]`, or `RANK wait SOURCE DESTINATION TAG`, of whole
/// numbers with one blank between.
struct TraceLine {
    Kind kind = Kind::wait;
    std::uint32_t rank = 0;
    std::uint32_t count = 0; // of `numbers`; a receive has two, for its size is that of the send
    std::array<std::uint64_t, 4> numbers{};
};

/// Reads such lines, and remembers the last line's rank: the next one is most often the same.
class TraceLineReader
{
  public:
    /// Read the line that the text begins with and return its length with its end; 0: it is not so
    /// simple, or too near to the end of the text.
    std::size_t read(std::string_view text, TraceLine &line)
    {
        if (text.size() < kRoom)
            return 0;
        const char *at = text.data();
        if (!take_rank(at, line.rank) || !take_action(at, line.kind))
            return 0;
        const bool receives = line.kind == Kind::receive || line.kind == Kind::ireceive;
        const std::uint32_t most = receives ? 2 : line.kind == Kind::wait ? 3 : 4;
        for (line.count = 0; line.count < most;) {
            if (line.count > 0 && *at++ != ' ')
                return 0;
            if (!take_number(at, line.numbers[line.count++]))
                return 0;
            if (*at == '\n')
                return static_cast<std::size_t>(++at - text.data());
        }
        if (!receives || *at != ' ')
            return 0;
        const char *const last = text.data() + kRoom;
        while (at != last && *at != '\n')
            at++;
        return at != last ? static_cast<std::size_t>(++at - text.data()) : 0;
    }

  private:
    /// What a line may be long.
    static constexpr std::size_t kRoom = 160;
    static constexpr int kMostDigits = 18;

    static bool take_number(const char *&at, std::uint64_t &value)
    {
        const char *const begin = at;
        value = 0;
        const char *const last = at + kMostDigits;
        for (unsigned digit = 0; (digit = static_cast<unsigned char>(*at) - '0') <= 9; at++) {
            if (at == last)
                return false;
            value = 10 * value + digit;
        }
        return at != begin;
    }
    bool take_rank(const char *&at, std::uint32_t &rank)
    {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        if (length_ > 0 && (word & mask_) == begin_) {
            at += length_;
            rank = rank_;
            return true;
        }
        const char *const begin = at;
        std::uint64_t value = 0;
        if (!take_number(at, value) || *at++ != ' ' || value > UINT32_MAX - 1)
            return false;
        rank = rank_ = static_cast<std::uint32_t>(value);
        length_ = static_cast<std::size_t>(at - begin);
        length_ = length_ < sizeof word ? length_ : 0;
        mask_ = (std::uint64_t{1} << (8 * length_)) - 1;
        begin_ = word & mask_;
        return true;
    }
    static bool take(const char *&at, std::string_view word)
    {
        if (std::memcmp(at, word.data(), word.size()) != 0)
            return false;
        at += word.size();
        return true;
    }
    static bool take_action(const char *&at, Kind &kind)
    {
        switch (*at) {
        case 's':
            kind = Kind::send;
            return take(at, "send ");
        case 'r':
            kind = Kind::receive;
            return take(at, "recv ");
        case 'w':
            kind = Kind::wait;
            return take(at, "wait ");
        case 'i':
            kind = at[1] == 's' ? Kind::isend : Kind::ireceive;
            return take(at, at[1] == 's' ? std::string_view("isend ") : "irecv ");
        default:
            return false;
        }
    }

    std::uint64_t begin_ = 0, mask_ = 0; // of the last line: its rank and the blank
    std::size_t length_ = 0;             // of it; 0: it was too long to be kept
    std::uint32_t rank_ = 0;
};

} // namespace rankwise::sim
