// A line of a time-independent trace as nearly all are, read in one pass: traces have millions.
#pragma once
#include "../program.h"
#include <array>
#include <bit>
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
        if (text.size() < kRoom + kBeyond)
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
        return skip_line(at, text.data() + kRoom) ? static_cast<std::size_t>(at - text.data()) : 0;
    }

  private:
    /// What a line may be long, and what is read beyond it.
    static constexpr std::size_t kRoom = 160, kBeyond = 8;
    static constexpr int kMostDigits = 18;

    static constexpr std::uint64_t kOnes = 0x0101010101010101;
    static constexpr std::uint64_t kHighBits = 0x8080808080808080;
    static std::uint64_t next_eight(const char *at)
    {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        return word;
    }
    /// Move behind the line's end; false: it is not before `last`.
    static bool skip_line(const char *&at, const char *last)
    {
        for (; at < last; at += 8) {
            const std::uint64_t other = next_eight(at) ^ (kOnes * '\n');
            const std::uint64_t ends = (other - kOnes) & ~other & kHighBits;
            if (ends != 0) {
                at += std::countr_zero(ends) / 8 + 1;
                return true;
            }
        }
        return false;
    }
    /// Numbers of up to seven digits are read at once: the first character is the lowest byte.
    static bool take_number(const char *&at, std::uint64_t &value)
    {
        std::uint64_t digits = next_eight(at) ^ (kOnes * '0');
        const std::uint64_t others = ((digits + kOnes * 0x76) | digits) & kHighBits;
        if (others == 0) [[unlikely]]
            return take_long_number(at, value);
        const int length = std::countr_zero(others) / 8;
        if (length == 0)
            return false;
        at += length;
        digits <<= 64 - 8 * length;
        digits = (digits * (10 << 8 | 1)) >> 8 & 0x00ff00ff00ff00ff;
        digits = (digits * (100 << 16 | 1)) >> 16 & 0x0000ffff0000ffff;
        value = (digits * (std::uint64_t{10000} << 32 | 1)) >> 32;
        return true;
    }
    static bool take_long_number(const char *&at, std::uint64_t &value)
    {
        value = 0;
        const char *const last = at + kMostDigits;
        for (unsigned digit = 0; (digit = static_cast<unsigned char>(*at) - '0') <= 9; at++) {
            if (at == last)
                return false;
            value = 10 * value + digit;
        }
        return true;
    }
    bool take_rank(const char *&at, std::uint32_t &rank)
    {
        const std::uint64_t word = next_eight(at);
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
