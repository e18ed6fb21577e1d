// A socket that closes itself, and how ours are made.
#pragma once
#include "clock.h"

#include <cstdint>
#include <string>
#include <utility>

namespace rankwise::probe
{

/// A socket owns its descriptor. What the system refuses is thrown as Error.
class Socket
{
  public:
    Socket() = default;
    explicit Socket(int descriptor) : descriptor_(descriptor)
    {
    }
    Socket(Socket &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1))
    {
    }
    Socket &operator=(Socket &&other) noexcept;
    Socket(const Socket &) = delete;
    Socket &operator=(const Socket &) = delete;
    ~Socket();

    /// Of this type (SOCK_STREAM: listening), on every address of this host, IPv6 and IPv4.
    static Socket bound(int type, std::uint16_t port);

    /// Connected to the first address of `host` that answers; while it refuses, again until
    /// `deadline`.
    static Socket connected(int type, const std::string &host, std::uint16_t port,
                            Nanoseconds deadline);

    int descriptor() const
    {
        return descriptor_;
    }
    explicit operator bool() const
    {
        return descriptor_ >= 0;
    }

    void set(int level, int option, int value, const char *name) const;

    /// Close it so that what was sent and has not arrived is forgotten (TCP: reset).
    void abort();

    /// Wait until it can be read; false: not before `deadline` (CLOCK_MONOTONIC).
    bool readable_before(Nanoseconds deadline) const;

  private:
    int descriptor_ = -1;
};

} // namespace rankwise::probe
