// What a test needs: a claim that can fail, and the count of those that did.
#pragma once
#include <cmath>
#include <iostream>
#include <string>

namespace rankwise::test
{

inline int failures = 0;

inline void report(bool true_, const char *claim, const char *file, int line, const std::string &seen)
{
    if (true_)
        return;
    failures++;
    std::cerr << file << ":" << line << ": not true: " << claim << (seen.empty() ? "" : "; ") << seen
              << "\n";
}

inline std::string seen(double value, double expected, double tolerance)
{
    return "it is " + std::to_string(value) + ", expected " + std::to_string(expected) + " +- " +
           std::to_string(tolerance);
}

/// To return from main.
inline int conclude()
{
    return failures == 0 ? 0 : 1;
}

} // namespace rankwise::test

#define CHECK(claim) rankwise::test::report((claim), #claim, __FILE__, __LINE__, "")
/// `tolerance` is absolute.
#define CHECK_NEAR(value, expected, tolerance)                                                     \
    rankwise::test::report(                                                                        \
        std::abs(static_cast<double>(value) - static_cast<double>(expected)) <=                    \
            static_cast<double>(tolerance),                                                        \
        #value " near " #expected, __FILE__, __LINE__,                                             \
        rankwise::test::seen(static_cast<double>(value), static_cast<double>(expected),            \
                             static_cast<double>(tolerance)))
