// Commands from outside while the emulator runs.
#pragma once
#include "base/descriptor.h"
#include <functional>
#include <map>
#include <string>

namespace rankwise
{

/// A stream UNIX socket at `path`: one command a line, one line back. Never waits for a client: who
/// does not read its answers, or comes when there are too many, loses the connection.
class ControlSocket
{
  public:
    using Answer = std::function<std::string(const std::string &command)>;

    ControlSocket(std::string path, Answer answer);
    ~ControlSocket();
    ControlSocket(const ControlSocket &) = delete;
    ControlSocket &operator=(const ControlSocket &) = delete;

    /// Readable when there is something to handle.
    int descriptor() const;
    void handle();

  private:
    struct Client {
        Descriptor file;
        std::string pending; // of a line that has not ended yet
    };

    void watch(int file);
    void greet();
    bool converse(Client &client);

    std::string path_;
    Answer answer_;
    Descriptor ready_; // an epoll of its own
    Descriptor listener_;
    std::map<int, Client> clients_;
};

} // namespace rankwise
