// Each line gets one answer, in order, and no client can keep the emulator from its work.
#include "base/tests/check.h"
#include "base/tests/mutation.h"
#include "link/control_socket.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

using namespace rankwise;
using namespace rankwise::test;

namespace
{

class Client
{
  public:
    explicit Client(const std::string &path)
        : file_(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        CHECK(::connect(file_.number(), reinterpret_cast<const sockaddr *>(&address),
                        sizeof address) == 0);
    }
    void say(const std::string &bytes)
    {
        ::send(file_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    /// What has come since; `ended` if that was all.
    std::string hear()
    {
        std::string heard;
        std::array<char, 4096> some{};
        ssize_t got = 0;
        while ((got = ::recv(file_.number(), some.data(), some.size(), 0)) > 0)
            heard.append(some.data(), static_cast<std::size_t>(got));
        ended = ended || got == 0 || errno == ECONNRESET;
        return heard;
    }

    bool ended = false;

  private:
    Descriptor file_;
};

/// Answers each line with its length.
std::string length_of(const std::string &line)
{
    return std::to_string(line.size());
}

std::string answers_to(const std::string &bytes)
{
    std::string answers;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1)
        answers += std::to_string(end - begin) + "\n";
    return answers;
}

void handle_all(ControlSocket &control)
{
    for (int i = 0; i < 20; i++)
        control.handle();
}

void fuzz(const std::string &path)
{
    ControlSocket control(path, length_of);
    Mutation mutation(1999, {"counters", "\n", std::string(1, '\0'), std::string(600, 'x')});
    int answered = 0;
    for (int i = 0; i < 3000; i++) {
        std::vector<std::pair<std::unique_ptr<Client>, std::string>> clients;
        for (std::size_t n = 1 + mutation.below(5); n > 0; n--) {
            clients.emplace_back(std::make_unique<Client>(path), "");
            auto &[client, said] = clients.back();
            said = mutation.damaged("counters\nreset\ndown a-b\nup a-b\n");
            const std::size_t half = mutation.below(said.size() + 1);
            client->say(said.substr(0, half));
            if (mutation.below(2) == 0)
                control.handle();
            client->say(said.substr(half));
            if (mutation.below(10) == 0)
                clients.pop_back(); // gone before it is answered
        }
        handle_all(control);
        for (auto &[client, said] : clients) {
            const std::string heard = client->hear(), right = answers_to(said);
            CHECK(client->ended ? right.starts_with(heard) : right == heard);
            CHECK(!client->ended || said.size() >= 4096);
            answered += heard.empty() ? 0 : 1;
        }
    }
    CHECK(answered > 2000);
}

void a_line_without_end_ends_the_connection(const std::string &path)
{
    ControlSocket control(path, length_of);
    Client client(path);
    client.say(std::string(100'000, 'x'));
    handle_all(control);
    client.hear();
    CHECK(client.ended);
}

void who_does_not_read_loses_the_connection(const std::string &path)
{
    ControlSocket control(path, [](const std::string &) { return std::string(50'000, 'x'); });
    Client client(path), other(path);
    std::string lines;
    for (int i = 0; i < 100; i++)
        lines += "counters\n";
    client.say(lines);
    handle_all(control);
    const std::string heard = client.hear();
    CHECK(client.ended && heard.size() < 100 * 50'001UL);
    other.say("a\n");
    handle_all(control);
    CHECK(other.hear().size() == 50'001);
}

/// At the limit of open files the listener would be ready for ever, and the emulator never sleep.
void too_many_are_turned_away(const std::string &path)
{
    ControlSocket control(path, length_of);
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 100; i++) {
        clients.push_back(std::make_unique<Client>(path));
        control.handle();
    }
    for (const auto &client : clients)
        client->hear();
    const auto ended = std::ranges::count_if(clients, [](const auto &one) { return one->ended; });
    CHECK(ended == 100 - 64);
    clients.clear();
    handle_all(control);
    Client again(path);
    again.say("abc\n");
    handle_all(control);
    CHECK(again.hear() == "3\n" && !again.ended);
}

void what_is_there_already(const std::string &path)
{
    {
        ControlSocket first(path, length_of);
        CHECK(std::filesystem::is_socket(path));
    }
    CHECK(!std::filesystem::exists(path));
    std::ofstream(path) << "somebody's file";
    bool refused = false;
    try {
        ControlSocket second(path, length_of);
    } catch (const std::exception &) {
        refused = true;
    }
    CHECK(refused && std::filesystem::is_regular_file(path));
}

} // namespace

int main()
{
    std::string folder = (std::filesystem::temp_directory_path() / "control.XXXXXX").string();
    CHECK(::mkdtemp(folder.data()) != nullptr);
    const std::string path = folder + "/socket";
    fuzz(path);
    a_line_without_end_ends_the_connection(path);
    who_does_not_read_loses_the_connection(path);
    too_many_are_turned_away(path);
    what_is_there_already(path);
    std::filesystem::remove_all(folder);
    return conclude();
}
