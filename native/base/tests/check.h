// What a test needs: a claim that can fail, and the count of those that did.
#pragma once
#include <cmath>
#include <iostream>
#include <string>

namespace rankwise::test
{

inline int failures = 0;

inline void claim(bool holds, const char *words, const char *file, int line,
                  const std::string &seen = "")
{
    if (holds)
        return;
    failures++;
    std::cerr << file << ":" << line << ": not true: " << words << (seen.empty() ? "" : "; ")
              << seen << "\n";
}

inline void claim_near(double value, double expected, double tolerance, const char *words,
                       const char *file, int line)
{
    claim(std::abs(value - expected) <= tolerance, words, file, line,
          "it is " + std::to_string(value) + ", expected " + std::to_string(expected) + " +- " +
              std::to_string(tolerance));
}

/// To return from main.
inline int conclude()
{
    return failures == 0 ? 0 : 1;
}

} // namespace rankwise::test

#define CHECK(...) rankwise::test::claim((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
/// `tolerance` is absolute.
#define CHECK_NEAR(value, expected, tolerance)                                                     \
    rankwise::test::claim_near(static_cast<double>(value), static_cast<double>(expected),          \
                               static_cast<double>(tolerance), #value " near " #expected,          \
                               __FILE__, __LINE__)
