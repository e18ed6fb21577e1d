// A GOAL schedule as LogGOPSim's txt2bin writes it.
#pragma once
#include <cstdint>
#include <string>

namespace rankwise::sim::test
{

template <typename Number> void put(std::string &bytes, Number number)
{
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
}

inline void put_node(std::string &bytes, std::uint32_t waits, char type, std::uint32_t peer,
                     std::uint64_t size, std::uint32_t later, std::uint32_t place)
{
    put(bytes, waits);
    put(bytes, type);
    put(bytes, peer);
    put(bytes, size);
    put(bytes, std::uint32_t{7}); // tag
    put(bytes, std::uint16_t{0}); // processor, NIC
    put(bytes, later);
    put(bytes, place);
    put(bytes, std::uint32_t{0});
    put(bytes, place + later);
}

/// Two ranks: a calculation and then a send; a receive.
inline std::string goal_binary_file()
{
    std::string bytes;
    put(bytes, std::uint64_t{4223});
    put(bytes, std::uint32_t{2});
    put(bytes, std::uint16_t{0});
    const std::uint64_t first = 6 + 32, length = 8 + 4 + 2 * 39 + 4, second = 8 + 4 + 39;
    for (const std::uint64_t at : {first, first + length, first + length, first + length + second})
        put(bytes, at);
    for (const std::uint32_t n : {2U, 1U, 0U}) // nodes, roots, the root
        put(bytes, n);
    put_node(bytes, 0, 3, 0, 5000, 1, 0);
    put_node(bytes, 1, 1, 1, 10, 0, 1);
    put(bytes, std::uint32_t{1}); // the send waits for the calculation
    for (const std::uint32_t n : {1U, 1U, 0U})
        put(bytes, n);
    put_node(bytes, 0, 2, 0, 10, 0, 0);
    return bytes;
}

} // namespace rankwise::sim::test
