#pragma once

#include <stdexcept>
#include <string>

namespace rankwise
{

inline constexpr int kExitBroken = 1; // a part of the testbed ended
inline constexpr int kExitInput = 2;  // what was given makes no sense
inline constexpr int kExitHost = 3;   // this host lacks something

// What ends a program: what was tried and what happened, what to do about it, and the exit code.
class Failure : public std::runtime_error
{
  public:
    Failure(int exit_code, const std::string &message, std::string remedy = "");

    int exit_code() const
    {
        return exit_code_;
    }
    const std::string &remedy() const
    {
        return remedy_;
    }
    // `PROGRAM: MESSAGE` and, where there is one, `try: REMEDY` on a line of its own.
    std::string told_by(const std::string &program) const;

  private:
    int exit_code_;
    std::string remedy_;
};

// A system call that was refused, by errno: this host lacks something.
Failure refused(const std::string &what, std::string remedy = "");

// The same with exit code 2, for what the user named.
Failure unusable(const std::string &what);

} // namespace rankwise
