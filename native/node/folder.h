#pragma once

#include "base/descriptor.h"
#include "base/network_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankwise
{

// The folder of a running testbed: where everything in it is, and the making of it.
class Folder
{
  public:
    // Throws Error if it is not there, or others may write in it (or, without root, come near), or
    // it is so deep that a socket in it could not be named.
    Folder(const std::filesystem::path &path, const std::vector<NodeSettings> &nodes);

    // Writes `hosts`, puts the remote shell there and makes the nodes' own folders.
    void prepare(const std::vector<NodeSettings> &nodes, const std::filesystem::path &shell) const;

    std::string hosts() const
    {
        return path_ / "hosts";
    }
    std::string control_socket() const
    {
        return path_ / "link";
    }
    std::string own_folder_of(const std::string &node) const
    {
        return path_ / node;
    }

    // A listening socket that everyone who can reach the folder may connect to.
    Descriptor listen_as(const std::string &node) const;

    // Why the testbed ended, as one line in `ended`; it is there in full or not at all.
    void write_ended(const std::string &reason) const;

    // What was asked for and is not so, one line each, in `warnings`.
    void write_warnings(const std::vector<std::string> &lines) const;

  private:
    std::filesystem::path path_;
};

// The socket of a node's agent in a testbed's folder.
std::string agent_socket(const std::filesystem::path &folder, const std::string &node);

} // namespace rankwise
