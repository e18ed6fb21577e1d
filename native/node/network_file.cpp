#include "network_file.h"

#include "failure.h"
#include "kernel_settings.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace rankwise
{

namespace
{

std::vector<std::string> words_of(const std::string &line)
{
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

std::vector<NodeLine>::iterator find(std::vector<NodeLine> &nodes, const std::string &name)
{
    return std::ranges::find(nodes, name, &NodeLine::name);
}

void add_node(std::vector<NodeLine> &nodes, const std::vector<std::string> &words)
{
    if (words.size() < 4)
        throw Failure(kExitInput, "'node' needs a name, a site and an address");
    const std::string &name = words[1];
    if (!is_host_name(name))
        throw Failure(kExitInput, "'" + name + "' is not a host name");
    if (find(nodes, name) != nodes.end())
        throw Failure(kExitInput, "two nodes are called '" + name + "'");
    nodes.push_back({name, words[3].substr(0, words[3].find('/')), {}});
}

void add_setting(std::vector<NodeLine> &nodes, const std::vector<std::string> &words)
{
    if (words.size() < 4)
        throw Failure(kExitInput, "'setting' needs a node, a key and a value");
    const auto node = find(nodes, words[1]);
    if (node == nodes.end())
        throw Failure(kExitInput, "no node '" + words[1] + "' stands above");
    if (!is_network_setting(words[2]))
        throw Failure(kExitInput, "'" + words[2] + "' is not below net.ipv4. or net.core.");
    std::string value = words[3];
    for (std::size_t i = 4; i < words.size(); ++i)
        value += " " + words[i];
    node->settings.push_back({words[2], value});
}

} // namespace

bool is_host_name(const std::string &name)
{
    const auto is_inner = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.'; };
    return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, is_inner) &&
           std::isalnum(static_cast<unsigned char>(name.front())) &&
           std::isalnum(static_cast<unsigned char>(name.back()));
}

std::vector<NodeLine> read_nodes(const std::filesystem::path &network)
{
    std::ifstream file(network);
    if (!file)
        throw unusable("cannot read " + network.string());
    std::vector<NodeLine> nodes;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        const std::vector<std::string> words = words_of(line);
        try {
            if (!words.empty() && words[0] == "node")
                add_node(nodes, words);
            if (!words.empty() && words[0] == "setting")
                add_setting(nodes, words);
        } catch (const Failure &failure) {
            throw Failure(failure.exit_code(),
                          network.string() + ":" + std::to_string(number) + ": " + failure.what());
        }
    }
    if (nodes.empty())
        throw Failure(kExitInput, network.string() + " has no nodes");
    return nodes;
}

} // namespace rankwise
