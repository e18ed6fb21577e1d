// The wire format of protocol buffers (protobuf.dev/programming-guides/encoding), as far as a
// reader needs it that knows the field numbers.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace rankwise::sim
{

/// The fields of a message, one after another. Throws std::invalid_argument with the reason where
/// the bytes are none.
class ProtobufFields
{
  public:
    explicit ProtobufFields(std::string_view bytes) : rest_(bytes)
    {
    }
    /// Go to the next field; false: there is none.
    bool next()
    {
        if (rest_.empty())
            return false;
        const std::uint64_t key = varint(rest_);
        number_ = key >> 3;
        switch (key & 7) {
        case 0:
            value_ = varint(rest_);
            break;
        case 1:
            value_ = fixed(8);
            break;
        case 2:
            bytes_ = delimited(rest_);
            break;
        case 5:
            value_ = fixed(4);
            break;
        default:
            throw std::invalid_argument("there is a field of an unknown kind");
        }
        has_bytes_ = (key & 7) == 2;
        return true;
    }
    std::uint64_t number() const
    {
        return number_;
    }
    std::uint64_t value() const // of numbers, as they are written
    {
        if (has_bytes_)
            throw std::invalid_argument("a field is no number");
        return value_;
    }
    std::string_view bytes() const
    {
        if (!has_bytes_)
            throw std::invalid_argument("a field is a number");
        return bytes_;
    }
    /// Call with each number of a repeated field, packed or not.
    template <typename Visit> void each(Visit visit) const
    {
        if (!has_bytes_)
            return visit(value_);
        for (std::string_view packed = bytes_; !packed.empty();)
            visit(varint(packed));
    }

    static std::uint64_t varint(std::string_view &bytes)
    {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (bytes.empty())
                throw std::invalid_argument("the file is cut off");
            const auto byte = static_cast<unsigned char>(bytes.front());
            bytes.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 127U) << shift;
            if (byte < 128)
                return value;
        }
        throw std::invalid_argument("a number has more than 64 bits");
    }
    /// Take a length, and so many bytes.
    static std::string_view delimited(std::string_view &bytes)
    {
        const std::uint64_t length = varint(bytes);
        if (length > bytes.size())
            throw std::invalid_argument("the file is cut off");
        const std::string_view taken = bytes.substr(0, length);
        bytes.remove_prefix(length);
        return taken;
    }

  private:
    std::uint64_t fixed(std::size_t size)
    {
        static_assert(std::endian::native == std::endian::little);
        if (size > rest_.size())
            throw std::invalid_argument("the file is cut off");
        std::uint64_t value = 0;
        std::memcpy(&value, rest_.data(), size);
        rest_.remove_prefix(size);
        return value;
    }

    std::string_view rest_, bytes_;
    std::uint64_t number_ = 0, value_ = 0;
    bool has_bytes_ = false;
};

} // namespace rankwise::sim
