#include "folder.h"

#include "base/error.h"
#include "base/network_file.h"

#include <fstream>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace rankwise
{

namespace fs = std::filesystem;

namespace
{

constexpr int kWaitingConnections = 1024;

void write_file(const fs::path &path, const std::string &text)
{
    const fs::path fresh = path.string() + ".new";
    std::ofstream file(fresh, std::ios::trunc);
    file << text;
    file.close();
    if (!file)
        throw system_error("cannot write " + fresh.string());
    fs::rename(fresh, path);
}

// As root it is copied: other users run it, and may not reach where the program is installed.
void put_shell(const fs::path &shell, const fs::path &target)
{
    fs::remove(target);
    if (::geteuid() != 0) {
        fs::create_symlink(shell, target);
        return;
    }
    fs::copy_file(shell, target);
    ::chmod(target.c_str(), 0755);
}

void make_folder(const fs::path &path, mode_t mode)
{
    fs::create_directory(path);
    if (::chmod(path.c_str(), mode) != 0) // mkdir alone would take the umask off
        throw system_error("cannot open " + path.string() + " to the jobs");
}

// Who can write here can have commands run as the owner; an ordinary user's agents cannot even tell
// all other users apart.
void check_access(const fs::path &path)
{
    struct stat what {
    };
    if (::stat(path.c_str(), &what) != 0 || !S_ISDIR(what.st_mode))
        throw input_error(path.string() + " is not a folder");
    const bool shared = ::geteuid() == 0;
    if (what.st_uid != ::geteuid())
        throw input_error(path.string() + " belongs to another user", "make a folder of your own");
    if ((what.st_mode & (shared ? S_IWGRP | S_IWOTH : S_IRWXG | S_IRWXO)) != 0)
        throw input_error(path.string() + " is open to other users, who could run commands as you",
                          (shared ? "chmod go-w " : "chmod 700 ") + path.string());
}

} // namespace

std::string agent_socket(const fs::path &folder, const std::string &node)
{
    return folder / "sockets" / node;
}

Folder::Folder(const fs::path &path, const std::vector<NodeSettings> &nodes)
    : path_(fs::absolute(path))
{
    check_access(path_);
    static const std::set<std::string> ours{"hosts",    "link", "sockets",    "ended", "log",
                                            "warnings", "rsh",  "state.json", "lock",  "network"};
    for (const NodeSettings &node : nodes) {
        if (ours.contains(node.name))
            throw input_error("no node can be called '" + node.name +
                              "': the testbed's folder has a file of that name");
        if (agent_socket(path_, node.name).size() >= sizeof(sockaddr_un::sun_path))
            throw input_error("the path of a socket would be too long: " +
                                  agent_socket(path_, node.name),
                              "give the testbed or its nodes a shorter name");
    }
}

void Folder::prepare(const std::vector<NodeSettings> &nodes, const fs::path &shell) const
{
    const bool shared = ::geteuid() == 0; // then jobs run as other users, too
    std::string hosts = "127.0.0.1 localhost\n";
    for (const NodeSettings &node : nodes)
        hosts += address_text(node.address) + " " + node.name + "\n";
    try {
        make_folder(path_ / "sockets", 0755);
        for (const NodeSettings &node : nodes)
            make_folder(own_folder_of(node.name), shared ? 01777 : 0700);
        write_file(path_ / "hosts", hosts);
        ::chmod(this->hosts().c_str(), 0644);
        put_shell(shell, path_ / "rsh");
    } catch (const fs::filesystem_error &error) {
        throw host_error(error.what());
    }
}

Descriptor Folder::listen_as(const std::string &node) const
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = agent_socket(path_, node);
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    fs::remove(path);
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto *generic = reinterpret_cast<const sockaddr *>(&address);
    if (!socket.is_open() || ::bind(socket.number(), generic, sizeof address) != 0 ||
        ::chmod(path.c_str(), 0666) != 0 || ::listen(socket.number(), kWaitingConnections) != 0)
        throw system_error("cannot listen at " + path);
    return socket;
}

void Folder::write_ended(const std::string &reason) const
{
    write_file(path_ / "ended", reason + "\n");
}

void Folder::write_warnings(const std::vector<std::string> &lines) const
{
    std::string text;
    for (const std::string &line : lines)
        text += line + "\n";
    write_file(path_ / "warnings", text);
}

} // namespace rankwise
