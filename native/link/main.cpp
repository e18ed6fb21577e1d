// rankwise-link: reads its words, and says what went wrong.
#include "base/error.h"
#include "base/network_file.h"
#include "base/version.h"
#include "emulator.h"
#include "help.h"
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace
{

using namespace rankwise;

struct Words {
    std::string network;
    std::string control;
    std::map<std::string, std::string> namespaces;
    bool help = false;
    bool version = false;
};

void read_namespace(const std::string &word, Words &words)
{
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
        throw input_error("--namespace wants NODE=PATH, not " + word, usage);
    if (!words.namespaces.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
        throw input_error("there are two namespaces for " + word.substr(0, equals));
}

Words read_words(const std::vector<std::string> &arguments)
{
    Words words;
    for (std::size_t i = 0; i < arguments.size(); i++) {
        const std::string &word = arguments[i];
        const auto value = [&] {
            if (i + 1 == arguments.size())
                throw input_error(word + " wants a value", usage);
            return arguments[++i];
        };
        const auto more = [&] {
            return i + 1 < arguments.size() && arguments[i + 1].find('=') != std::string::npos;
        };
        if (word == "--help" || word == "-h") {
            words.help = true;
        } else if (word == "--version") {
            words.version = true;
        } else if (word == "--control") {
            words.control = value();
        } else if (word == "--namespace") {
            read_namespace(value(), words);
            while (more())
                read_namespace(arguments[++i], words);
        } else if (word.starts_with("-")) {
            throw input_error("there is no option " + word, usage);
        } else if (words.network.empty()) {
            words.network = word;
        } else {
            throw input_error("one network file is enough: " + word, usage);
        }
    }
    if (words.network.empty() && !words.help && !words.version)
        throw input_error("a network file is wanted", usage);
    return words;
}

void check_namespaces(const Network &network, std::map<std::string, std::string> given)
{
    for (const NodeSettings &node : network.nodes)
        if (given.erase(node.name) == 0)
            throw input_error("no --namespace for the node " + node.name);
    if (!given.empty())
        throw input_error("--namespace for " + given.begin()->first + ", which is no node");
}

void run(const Words &words)
{
    const Network network = read_network(words.network);
    check_namespaces(network, words.namespaces);
    Emulator emulator(network, words.namespaces);
    if (!words.control.empty())
        emulator.listen(words.control);
    for (const std::string &line : emulator.warnings())
        std::cout << line << "\n";
    std::cout << "ready" << std::endl;
    try {
        emulator.run();
    } catch (const Error &error) {
        std::cout << error.what() << std::endl; // for who reads there whether we are ready
        throw;
    }
}

} // namespace

int main(int count, char **arguments)
{
    try {
        const Words words = read_words({arguments + 1, arguments + count});
        if (words.help)
            std::cout << manual;
        else if (words.version)
            std::cout << "rankwise-link " RANKWISE_VERSION "\n";
        else
            run(words);
        return 0;
    } catch (const Error &error) {
        std::cerr << error.told_by("rankwise-link");
        return error.exit_code();
    } catch (const std::exception &error) {
        std::cerr << "rankwise-link: a bug of ours: " << error.what() << "\n";
        return kExitBug;
    }
}
