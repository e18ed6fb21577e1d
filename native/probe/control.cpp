#include "control.h"

#include "base/error.h"
#include <sys/socket.h>

namespace rankwise::probe
{

namespace
{

constexpr std::size_t kLongestLine = 4096;

} // namespace

void Control::say(const std::string &line)
{
    const std::string text = line + "\n";
    std::size_t done = 0;
    while (done < text.size()) {
        const auto sent =
            ::send(socket_.descriptor(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
        if (sent < 0)
            throw system_error("cannot talk to the other side");
        done += static_cast<std::size_t>(sent);
    }
}

std::string Control::hear()
{
    std::size_t end = unread_.find('\n');
    while (end == std::string::npos) {
        char buffer[256];
        const auto got = ::recv(socket_.descriptor(), buffer, sizeof buffer, 0);
        if (got <= 0)
            return {};
        if (unread_.size() > kLongestLine)
            return {};
        unread_.append(buffer, static_cast<std::size_t>(got));
        end = unread_.find('\n');
    }
    std::string line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    return line;
}

} // namespace rankwise::probe
