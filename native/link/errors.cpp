#include "errors.h"

#include <cerrno>
#include <cstring>

namespace rankwise
{

void fail_with_errno(const std::string &tried, const std::string &remedy)
{
    const std::string happened = std::strerror(errno);
    throw HostError(tried + ": " + happened + (remedy.empty() ? "" : ". " + remedy));
}

} // namespace rankwise
