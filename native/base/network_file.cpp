#include "network_file.h"

#include "error.h"
#include "word_file.h"
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace rankwise
{

namespace
{

constexpr std::size_t most_nodes = 0xfffe;    // their numbers are two bytes of a MAC address
constexpr double longest_queue_seconds = 1e9; // virtual time is 64 bits of nanoseconds

/// The state of reading: what names have been seen.
class Reader
{
  public:
    Reader(std::istream &lines, const std::string &file_name) : file_(lines, file_name)
    {
    }

    Network read();

  private:
    using Words = std::vector<std::string>;

    std::size_t link(const std::string &name) const;
    void read_line(const Words &words);
    void read_option(const Words &words);
    void read_link(const Words &words);
    void read_node(const Words &words);
    void read_route(const Words &words);
    void read_setting(const Words &words);
    void check_link(const LinkSettings &one) const;
    void check_address(const NodeSettings &one) const;
    void check_routes() const;
    void check() const;

    WordFile file_;
    Network network_;
    std::map<std::string, std::size_t> links_;
    std::map<std::string, std::size_t> nodes_;
};

std::size_t Reader::link(const std::string &name) const
{
    const auto found = links_.find(name);
    if (found == links_.end())
        file_.fail("there is no link " + name + " above this line");
    return found->second;
}

void Reader::read_option(const Words &words)
{
    file_.expect(3, 3, "option NAME VALUE");
    const std::string &name = words[1], &value = words[2];
    const auto whole = [&](double least, double most) {
        return file_.whole_number(value, name, least, most);
    };
    const auto small = [&](double least, double most) {
        return static_cast<int>(whole(least, most));
    };
    const std::map<std::string, std::function<void()>> known = {
        {"mtu", [&] { network_.mtu_bytes = small(576, 65500); }},
        {"segment_limit", [&] { network_.segment_limit_bytes = small(576, 65536); }},
        {"served_queues", [&] { network_.served_queues = whole(0, 1) == 1; }},
        {"acknowledgements_first", [&] { network_.acknowledgements_first = whole(0, 1) == 1; }},
        {"bus", [&] { network_.bus = file_.number(value, name, 0, 1000); }},
        {"realtime", [&] { network_.realtime_priority = small(0, 99); }},
        {"spin", [&] { network_.spin = whole(0, 1e9); }},
        {"seed", [&] { network_.seed = static_cast<std::uint64_t>(whole(0, 1e15)); }},
    };
    const auto found = known.find(name);
    if (found == known.end())
        file_.fail("there is no option " + name);
    found->second();
}

void Reader::read_link(const Words &words)
{
    file_.expect(9, 9, "link NAME RATE DELAY QUEUE JITTER uniform|normal|exponential LOSS BURST");
    const auto rounded = [&](std::size_t word, const char *what) {
        return std::int64_t{std::llround(file_.number(words[word], what, 0, 1e12))};
    };
    LinkSettings one;
    one.name = words[1];
    one.rate_bits_per_second = file_.number(words[2], "the rate", 0, 1e13);
    one.delay = rounded(3, "the delay");
    one.queue_bytes = rounded(4, "the queue");
    one.jitter = rounded(5, "the jitter");
    if (words[6] == "uniform")
        one.distribution = JitterDistribution::uniform;
    else if (words[6] == "normal")
        one.distribution = JitterDistribution::normal;
    else if (words[6] == "exponential")
        one.distribution = JitterDistribution::exponential;
    else
        file_.fail("jitter is uniform, normal or exponential, not " + words[6]);
    one.loss = file_.number(words[7], "the loss", 0, 1);
    one.loss_burst = file_.number(words[8], "the length of loss bursts", 1, 1e9);
    check_link(one);
    if (!links_.emplace(one.name, network_.links.size()).second)
        file_.fail("there are two links " + one.name);
    network_.links.push_back(one);
}

void Reader::check_link(const LinkSettings &one) const
{
    // Bursts of mean length b with runs of at least one packet between them lose at most b / (b +
    // 1).
    if (one.loss_burst > 1 && one.loss > one.loss_burst / (one.loss_burst + 1))
        file_.fail("bursts of that length cannot make up a loss of " + file_.words()[7]);
    if (one.rate_bits_per_second == 0)
        return;
    if (one.rate_bits_per_second < 1)
        file_.fail("the rate is below 1 bit/s; 0 means unlimited");
    if (static_cast<double>(one.queue_bytes) * 8 / one.rate_bits_per_second > longest_queue_seconds)
        file_.fail("at this rate the queue holds more than thirty years of traffic");
}

void Reader::read_node(const Words &words)
{
    file_.expect(6, 6, "node NAME SITE ADDRESS/BITS OUT_LINK IN_LINK");
    NodeSettings one;
    one.name = words[1];
    one.site = words[2];
    if (!is_host_name(one.name))
        file_.fail("'" + one.name + "' is not a host name");
    const std::size_t slash = words[3].find('/');
    in_addr address{};
    if (slash == std::string::npos ||
        inet_pton(AF_INET, words[3].substr(0, slash).c_str(), &address) != 1)
        file_.fail("not an IPv4 address with its number of bits: " + words[3]);
    one.address = ntohl(address.s_addr);
    one.prefix_bits =
        static_cast<int>(file_.whole_number(words[3].substr(slash + 1), "the bits", 1, 30));
    one.out = link(words[4]);
    one.in = link(words[5]);
    if (!nodes_.emplace(one.name, network_.nodes.size()).second)
        file_.fail("there are two nodes " + one.name);
    if (nodes_.size() > most_nodes)
        file_.fail("there are more than " + std::to_string(most_nodes) + " nodes");
    check_address(one);
    network_.nodes.push_back(one);
}

void Reader::check_address(const NodeSettings &one) const
{
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - one.prefix_bits);
    for (const NodeSettings &other : network_.nodes) {
        if (other.address == one.address)
            file_.fail(one.name + " has the address of " + other.name);
        if (other.prefix_bits != one.prefix_bits || ((other.address ^ one.address) & mask) != 0)
            file_.fail(one.name + " is not in the subnet of " + other.name +
                       "; the nodes reach one another without a router, so all must share one");
    }
}

void Reader::read_route(const Words &words)
{
    file_.expect(3, words.size(), "route SITE SITE [LINK...]");
    if (network_.route(words[1], words[2]) != nullptr)
        file_.fail("there are two routes from " + words[1] + " to " + words[2]);
    RouteSettings one{words[1], words[2], {}};
    for (std::size_t i = 3; i < words.size(); i++)
        one.links.push_back(link(words[i]));
    network_.routes.push_back(one);
}

void Reader::read_setting(const Words &words)
{
    file_.expect(4, words.size(), "setting NODE KEY VALUE...");
    const auto node = nodes_.find(words[1]);
    if (node == nodes_.end())
        file_.fail("there is no node " + words[1] + " above this line");
    if (!is_network_setting(words[2]))
        file_.fail("'" + words[2] + "' is not below net.ipv4. or net.core.");
    std::string value = words[3];
    for (std::size_t i = 4; i < words.size(); i++)
        value += " " + words[i];
    network_.nodes[node->second].kernel.push_back({words[2], value});
}

void Reader::read_line(const Words &words)
{
    if (words[0] == "option")
        read_option(words);
    else if (words[0] == "link")
        read_link(words);
    else if (words[0] == "node")
        read_node(words);
    else if (words[0] == "route")
        read_route(words);
    else if (words[0] == "setting")
        read_setting(words);
    else
        file_.fail("a line begins with option, link, node, setting or route, not with " + words[0]);
}

void Reader::check() const
{
    if (network_.nodes.empty())
        file_.fail_whole("there is no node");
    if (network_.bus != 0 && network_.bus < 1)
        file_.fail_whole("a bus below 1 could not even receive at the NIC's rate");
    if (network_.bus > 0 && !network_.served_queues)
        file_.fail_whole("a bus needs served queues: option served_queues 1");
    if (network_.segment_limit_bytes < network_.mtu_bytes)
        file_.fail_whole("the segment limit is below the MTU");
    check_routes();
}

void Reader::check_routes() const
{
    std::set<std::pair<std::string, std::string>> known;
    for (const RouteSettings &route : network_.routes)
        known.emplace(route.source, route.destination);
    for (const NodeSettings &one : network_.nodes)
        for (const NodeSettings &other : network_.nodes)
            if (one.name != other.name && !known.contains({one.site, other.site}))
                file_.fail_whole("there is no route from site " + one.site + " to site " +
                                 other.site + ", so " + one.name + " cannot reach " + other.name);
}

Network Reader::read()
{
    while (file_.next())
        read_line(file_.words());
    check();
    return network_;
}

} // namespace

const RouteSettings *Network::route(const std::string &source, const std::string &destination) const
{
    const auto found = std::find_if(routes.begin(), routes.end(), [&](const RouteSettings &one) {
        return one.source == source && one.destination == destination;
    });
    return found == routes.end() ? nullptr : &*found;
}

Network read_network(std::istream &lines, const std::string &file_name)
{
    return Reader(lines, file_name).read();
}

Network read_network(const std::string &path)
{
    std::ifstream file(path);
    if (!file)
        throw input_error("cannot read the network file " + path + ": " + std::strerror(errno));
    return read_network(file, path);
}

bool is_host_name(const std::string &name)
{
    const auto is_outer = [](unsigned char c) { return std::isalnum(c) != 0; };
    const auto is_inner = [&](unsigned char c) { return is_outer(c) || c == '-' || c == '.'; };
    return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, is_inner) &&
           is_outer(static_cast<unsigned char>(name.front())) &&
           is_outer(static_cast<unsigned char>(name.back()));
}

bool is_network_setting(const std::string &key)
{
    const auto is_inner = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.';
    };
    return (key.starts_with("net.ipv4.") || key.starts_with("net.core.")) && key.size() > 9 &&
           std::ranges::all_of(key, is_inner) && key.find("..") == std::string::npos;
}

std::string address_text(std::uint32_t address)
{
    const in_addr number{htonl(address)};
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &number, text.data(), text.size());
    return text.data();
}

} // namespace rankwise
