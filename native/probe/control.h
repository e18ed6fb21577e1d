// The TCP connection over which client and server agree: lines of words.
#pragma once
#include "socket.h"

#include <string>

namespace rankwise::probe
{

class Control
{
  public:
    explicit Control(Socket socket) : socket_(std::move(socket))
    {
    }

    void say(const std::string &line);

    /// The next line, without its end; empty: the other side has gone, or says what
    /// is none. Waits for it.
    std::string hear();

    const Socket &socket() const
    {
        return socket_;
    }

  private:
    Socket socket_;
    std::string unread_;
};

} // namespace rankwise::probe
