#include "error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace rankwise
{

Error::Error(int exit_code, const std::string &message, std::string remedy)
    : std::runtime_error(message), exit_code_(exit_code), remedy_(std::move(remedy))
{
}

std::string Error::told_by(const std::string &program) const
{
    std::string text = program + ": " + what() + "\n";
    if (!remedy_.empty())
        text += "try: " + remedy_ + "\n";
    return text;
}

Error input_error(const std::string &message, std::string remedy)
{
    return {kExitInput, message, std::move(remedy)};
}

Error host_error(const std::string &message, std::string remedy)
{
    return {kExitHost, message, std::move(remedy)};
}

Error system_error(const std::string &tried, std::string remedy)
{
    const std::string happened = std::strerror(errno);
    return {kExitHost, tried + ": " + happened, std::move(remedy)};
}

} // namespace rankwise
