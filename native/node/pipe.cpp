#include "pipe.h"

#include "base/error.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace rankwise
{

Pipe make_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw system_error("cannot make a pipe");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool write_all(int descriptor, const void *data, std::size_t size)
{
    const char *next = static_cast<const char *>(data);
    while (size > 0) {
        const ssize_t written = ::write(descriptor, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

std::string read_all(int descriptor)
{
    std::string text;
    std::array<char, 4096> block{};
    for (;;) {
        const ssize_t size = ::read(descriptor, block.data(), block.size());
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return text;
        text.append(block.data(), static_cast<std::size_t>(size));
    }
}

} // namespace rankwise
