// The one error type of the native programs.
#pragma once
#include <stdexcept>
#include <string>

namespace rankwise
{

inline constexpr int kExitBroken = 1; // a part of a testbed has ended
inline constexpr int kExitInput = 2;  // the command line or a file is wrong
inline constexpr int kExitHost = 3;   // this host lacks or refuses something
inline constexpr int kExitBug = 101;  // ours

/// An error ends a program: what was tried, what happened, what to do about it, and the exit code.
class Error : public std::runtime_error
{
  public:
    Error(int exit_code, const std::string &message, std::string remedy = "");

    int exit_code() const
    {
        return exit_code_;
    }
    const std::string &remedy() const
    {
        return remedy_;
    }
    /// Return `PROGRAM: MESSAGE` and, where there is one, `try: REMEDY` on a line of its own.
    std::string told_by(const std::string &program) const;

  private:
    int exit_code_;
    std::string remedy_;
};

/// Return an error of the command line or of a file.
Error input_error(const std::string &message, std::string remedy = "");

/// Return an error of this host.
Error host_error(const std::string &message, std::string remedy = "");

/// Return an error of this host that says what was tried and what `errno` says about it.
Error system_error(const std::string &tried, std::string remedy = "");

} // namespace rankwise
