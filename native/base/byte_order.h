// Numbers in network byte order, at any alignment.
#pragma once
#include <cstdint>

namespace rankwise
{

inline std::uint16_t get16(const std::uint8_t *from)
{
    return static_cast<std::uint16_t>(from[0] << 8 | from[1]);
}

inline std::uint32_t get32(const std::uint8_t *from)
{
    return std::uint32_t{get16(from)} << 16 | get16(from + 2);
}

inline void put16(std::uint8_t *to, std::uint16_t value)
{
    to[0] = static_cast<std::uint8_t>(value >> 8);
    to[1] = static_cast<std::uint8_t>(value);
}

inline void put32(std::uint8_t *to, std::uint32_t value)
{
    put16(to, static_cast<std::uint16_t>(value >> 16));
    put16(to + 2, static_cast<std::uint16_t>(value));
}

inline std::uint64_t get64(const std::uint8_t *from)
{
    return std::uint64_t{get32(from)} << 32 | get32(from + 4);
}

inline void put64(std::uint8_t *to, std::uint64_t value)
{
    put32(to, static_cast<std::uint32_t>(value >> 32));
    put32(to + 4, static_cast<std::uint32_t>(value));
}

} // namespace rankwise
