#include "network_file.h"

#include "errors.h"
#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace rankwise
{

namespace
{

using Words = std::vector<std::string>;

/// The state of reading: what line we are at, what names have been seen.
class Reader
{
  public:
    explicit Reader(std::string file_name) : file_name_(std::move(file_name))
    {
    }

    Network read(std::istream &lines);

  private:
    [[noreturn]] void fail(const std::string &what) const;
    void expect(const Words &words, std::size_t least, std::size_t most, const char *form) const;
    double number(const std::string &word, const std::string &what, double least,
                  double most) const;
    std::size_t link(const std::string &name) const;
    void read_line(const Words &words);
    void read_option(const Words &words);
    void read_link(const Words &words);
    void read_node(const Words &words);
    void read_route(const Words &words);
    void check_address(const NodeSettings &one) const;
    void check() const;

    std::string file_name_;
    int line_ = 0;
    Network network_;
    std::map<std::string, std::size_t> links_;
    std::set<std::string> nodes_;
};

void Reader::fail(const std::string &what) const
{
    throw InputError(file_name_ + ":" + std::to_string(line_) + ": " + what);
}

void Reader::expect(const Words &words, std::size_t least, std::size_t most, const char *form) const
{
    if (words.size() < least || words.size() > most)
        fail(std::string("expected: ") + form);
}

double Reader::number(const std::string &word, const std::string &what, double least,
                      double most) const
{
    double value = 0;
    const char *end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value))
        fail(what + " is not a number: " + word);
    if (value < least || value > most) {
        std::ostringstream range;
        range << what << " is " << word << ", but must be from " << least << " to " << most;
        fail(range.str());
    }
    return value;
}

std::size_t Reader::link(const std::string &name) const
{
    const auto found = links_.find(name);
    if (found == links_.end())
        fail("there is no link " + name + " above this line");
    return found->second;
}

void Reader::read_option(const Words &words)
{
    expect(words, 3, 3, "option NAME VALUE");
    const std::string &name = words[1], &value = words[2];
    const auto whole = [&](double least, double most) {
        return static_cast<int>(number(value, name, least, most));
    };
    const std::map<std::string, std::function<void()>> known = {
        {"mtu", [&] { network_.mtu_bytes = whole(576, 65500); }},
        {"segment_limit", [&] { network_.segment_limit_bytes = whole(576, 65536); }},
        {"served_queues", [&] { network_.served_queues = whole(0, 1) == 1; }},
        {"acknowledgements_first", [&] { network_.acknowledgements_first = whole(0, 1) == 1; }},
        {"bus", [&] { network_.bus = number(value, name, 0, 1000); }},
        {"realtime", [&] { network_.realtime_priority = whole(0, 99); }},
        {"spin", [&] { network_.spin = whole(0, 1e9); }},
        {"seed", [&] { network_.seed = static_cast<std::uint64_t>(number(value, name, 0, 1e15)); }},
    };
    const auto found = known.find(name);
    if (found == known.end())
        fail("there is no option " + name);
    found->second();
}

void Reader::read_link(const Words &words)
{
    expect(words, 9, 9, "link NAME RATE DELAY QUEUE JITTER uniform|normal|exponential LOSS BURST");
    LinkSettings one;
    one.name = words[1];
    one.rate_bits_per_second = number(words[2], "the rate", 0, 1e13);
    one.delay = std::llround(number(words[3], "the delay", 0, 1e12));
    one.queue_bytes = std::llround(number(words[4], "the queue", 0, 1e12));
    one.jitter = std::llround(number(words[5], "the jitter", 0, 1e12));
    if (words[6] == "uniform")
        one.distribution = JitterDistribution::uniform;
    else if (words[6] == "normal")
        one.distribution = JitterDistribution::normal;
    else if (words[6] == "exponential")
        one.distribution = JitterDistribution::exponential;
    else
        fail("jitter is uniform, normal or exponential, not " + words[6]);
    one.loss = number(words[7], "the loss", 0, 1);
    one.loss_burst = number(words[8], "the length of loss bursts", 1, 1e9);
    // Bursts of mean length b with runs of at least one packet between them lose at most b / (b +
    // 1).
    if (one.loss_burst > 1 && one.loss > one.loss_burst / (one.loss_burst + 1))
        fail("bursts of that length cannot make up a loss of " + words[7]);
    if (one.rate_bits_per_second > 0 && one.rate_bits_per_second < 1)
        fail("the rate is below 1 bit/s; 0 means unlimited");
    if (!links_.emplace(one.name, network_.links.size()).second)
        fail("there are two links " + one.name);
    network_.links.push_back(one);
}

void Reader::read_node(const Words &words)
{
    expect(words, 6, 6, "node NAME SITE ADDRESS/BITS OUT_LINK IN_LINK");
    NodeSettings one;
    one.name = words[1];
    one.site = words[2];
    const std::size_t slash = words[3].find('/');
    in_addr address{};
    if (slash == std::string::npos ||
        inet_pton(AF_INET, words[3].substr(0, slash).c_str(), &address) != 1)
        fail("not an IPv4 address with its number of bits: " + words[3]);
    one.address = ntohl(address.s_addr);
    one.prefix_bits = static_cast<int>(number(words[3].substr(slash + 1), "the bits", 1, 30));
    one.out = link(words[4]);
    one.in = link(words[5]);
    if (!nodes_.insert(one.name).second)
        fail("there are two nodes " + one.name);
    check_address(one);
    network_.nodes.push_back(one);
}

void Reader::check_address(const NodeSettings &one) const
{
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - one.prefix_bits);
    for (const NodeSettings &other : network_.nodes) {
        if (other.address == one.address)
            fail(one.name + " has the address of " + other.name);
        if (other.prefix_bits != one.prefix_bits || ((other.address ^ one.address) & mask) != 0)
            fail(one.name + " is not in the subnet of " + other.name +
                 "; the nodes reach one another without a router, so all must share one");
    }
}

void Reader::read_route(const Words &words)
{
    expect(words, 3, words.size(), "route SITE SITE [LINK...]");
    if (network_.route(words[1], words[2]) != nullptr)
        fail("there are two routes from " + words[1] + " to " + words[2]);
    RouteSettings one{words[1], words[2], {}};
    for (std::size_t i = 3; i < words.size(); i++)
        one.links.push_back(link(words[i]));
    network_.routes.push_back(one);
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
    else if (words[0] != "setting") // those are the business of rankwise-nodes
        fail("a line begins with option, link, node, setting or route, not with " + words[0]);
}

void Reader::check() const
{
    if (network_.nodes.empty())
        throw InputError(file_name_ + ": there is no node");
    if (network_.bus != 0 && network_.bus < 1)
        throw InputError(file_name_ + ": a bus below 1 could not even receive at the card's rate");
    if (network_.bus > 0 && !network_.served_queues)
        throw InputError(file_name_ + ": a bus needs served queues: option served_queues 1");
    if (network_.segment_limit_bytes < network_.mtu_bytes)
        throw InputError(file_name_ + ": the segment limit is below the MTU");
    for (const NodeSettings &one : network_.nodes)
        for (const NodeSettings &other : network_.nodes)
            if (one.name != other.name && network_.route(one.site, other.site) == nullptr)
                throw InputError(file_name_ + ": there is no route from site " + one.site +
                                 " to site " + other.site + ", so " + one.name + " cannot reach " +
                                 other.name);
}

Network Reader::read(std::istream &lines)
{
    for (std::string line; std::getline(lines, line);) {
        line_++;
        std::istringstream rest(line.substr(0, line.find('#')));
        Words words;
        for (std::string word; rest >> word;)
            words.push_back(word);
        if (!words.empty())
            read_line(words);
    }
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
    return Reader(file_name).read(lines);
}

} // namespace rankwise
