#include "failure.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace rankwise
{

Failure::Failure(int exit_code, const std::string &message, std::string remedy)
    : std::runtime_error(message), exit_code_(exit_code), remedy_(std::move(remedy))
{
}

std::string Failure::told_by(const std::string &program) const
{
    std::string text = program + ": " + what() + "\n";
    if (!remedy_.empty())
        text += "try: " + remedy_ + "\n";
    return text;
}

Failure refused(const std::string &what, std::string remedy)
{
    return {kExitHost, what + ": " + std::strerror(errno), std::move(remedy)};
}

Failure unusable(const std::string &what)
{
    return {kExitInput, what + ": " + std::strerror(errno)};
}

} // namespace rankwise
