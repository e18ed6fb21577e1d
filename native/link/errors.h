// What can go wrong, sorted by who can mend it.
#pragma once
#include <stdexcept>
#include <string>

namespace rankwise
{

/// The caller's words or files are wrong: exit code 2.
class InputError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// This machine lacks something, or refuses it: exit code 3.
class HostError : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// A HostError that says what was tried and what `errno` says about it, and optionally what to do.
[[noreturn]] void fail_with_errno(const std::string &tried, const std::string &remedy = "");

} // namespace rankwise
