#include "switch.h"

#include "charged_queue.h"
#include "served_queue.h"
#include <algorithm>
#include <random>
#include <utility>

namespace rankwise
{

namespace
{

constexpr std::array<std::uint8_t, 4> mac_prefix = {0x02, 'r', 'w', 0};

/// Each link's random numbers are its own, so that one more link changes nothing for the others.
std::uint64_t mix(std::uint64_t seed, std::size_t link)
{
    std::seed_seq sequence{seed & 0xffffffff, seed >> 32, std::uint64_t{link}};
    std::array<std::uint32_t, 2> words{};
    sequence.generate(words.begin(), words.end());
    return std::uint64_t{words[0]} << 32 | words[1];
}

} // namespace

std::array<std::uint8_t, 6> mac_of(NodeIndex node)
{
    const NodeIndex number = node + 1;
    return {mac_prefix[0],
            mac_prefix[1],
            mac_prefix[2],
            mac_prefix[3],
            static_cast<std::uint8_t>(number >> 8),
            static_cast<std::uint8_t>(number)};
}

Switch::Switch(const Network &network, Receiver &receiver, std::uint64_t seed)
    : receiver_(receiver), nodes_(static_cast<NodeIndex>(network.nodes.size()))
{
    for (const NodeSettings &node : network.nodes) {
        const double rate = network.links[node.out].rate_bits_per_second;
        const bool limited = network.bus > 0 && rate > 0;
        buses_.push_back(limited ? std::make_unique<HostBus>(network.bus * rate) : nullptr);
    }
    make_links(network, seed);
    make_paths(network);
}

void Switch::make_links(const Network &network, std::uint64_t seed)
{
    for (std::size_t i = 0; i < network.links.size(); i++)
        links_.push_back(std::make_unique<Link>(network.links[i], make_queue(network, i), events_,
                                                mix(seed, i)));
}

std::unique_ptr<RateQueue> Switch::make_queue(const Network &network, std::size_t link)
{
    const LinkSettings &settings = network.links[link];
    if (settings.rate_bits_per_second == 0)
        return nullptr;
    const auto owner = std::find_if(network.nodes.begin(), network.nodes.end(),
                                    [&](const NodeSettings &node) { return node.out == link; });
    if (owner == network.nodes.end() || !network.served_queues)
        return std::make_unique<ChargedQueue>(settings.rate_bits_per_second, settings.queue_bytes);
    HostBus *bus = buses_[static_cast<std::size_t>(owner - network.nodes.begin())].get();
    return std::make_unique<ServedQueue>(settings.rate_bits_per_second, settings.queue_bytes,
                                         network.acknowledgements_first, bus);
}

void Switch::make_paths(const Network &network)
{
    for (const NodeSettings &source : network.nodes) {
        for (const NodeSettings &destination : network.nodes) {
            std::vector<Link *> links = {links_[source.out].get()};
            if (&source != &destination) {
                for (std::size_t link : network.route(source.site, destination.site)->links)
                    links.push_back(links_[link].get());
                links.push_back(links_[destination.in].get());
            }
            paths_.emplace_back(std::move(links));
        }
    }
}

const Path &Switch::path(NodeIndex source, NodeIndex destination) const
{
    return paths_[std::size_t{source} * nodes_ + destination];
}

NodeIndex Switch::destination_of(const Frame &frame) const
{
    if (frame.multicast())
        return every_node;
    const Address mac = frame.destination();
    const NodeIndex number = NodeIndex{mac[4]} << 8 | mac[5];
    const bool ours = std::equal(mac_prefix.begin(), mac_prefix.end(), mac.begin());
    return ours && number >= 1 ? number - 1 : nodes_;
}

void Switch::accept(NodeIndex source, Frame frame, Time now)
{
    run(now);
    const NodeIndex destination = destination_of(frame);
    if (destination == source || (destination >= nodes_ && destination != every_node)) {
        counters_.unknown_frames++;
        return;
    }
    const Path &links = path(source, destination == every_node ? source : destination);
    step(std::make_unique<Packet>(
        Packet{std::move(frame), source, destination, &links, 0, now, now}));
}

void Switch::run(Time now)
{
    while (events_.next().has_value() && *events_.next() <= now) {
        LinkEvents::Event event = events_.pop();
        if (event.what.link == nullptr)
            step(std::move(event.what.packet));
        else if (event.what.packet == nullptr)
            event.what.link->serve(event.due);
        else
            event.what.link->enqueue(std::move(event.what.packet));
    }
}

void Switch::step(PacketPointer packet)
{
    if (packet->destination == every_node && packet->hop > 0)
        return flood(*packet);
    if (packet->arrived())
        return finish(std::move(packet));
    Link &link = packet->path->link(packet->hop);
    link.accept(std::move(packet));
}

void Switch::finish(PacketPointer packet)
{
    counters_.delivered_packets += packet->frame.segments();
    HostBus *bus = buses_[packet->destination].get();
    if (bus != nullptr)
        bus->take(packet->last, packet->frame.wire_bytes());
    receiver_.deliver(*packet, packet->last);
}

/// A broadcast has come to where the paths part: one copy goes on over each next link, for all
/// nodes behind it. Its path is that of one of them.
void Switch::flood(const Packet &packet)
{
    std::vector<const Link *> taken;
    for (NodeIndex node = 0; node < nodes_; node++) {
        const Path &links = path(packet.source, node);
        if (node == packet.source || !links.begins_like(*packet.path, packet.hop))
            continue;
        const bool there = links.length() == packet.hop;
        if (!there && std::ranges::find(taken, &links.link(packet.hop)) != taken.end())
            continue;
        auto copy = std::make_unique<Packet>(Packet{packet.frame.copy(), packet.source,
                                                    there ? node : every_node, &links, packet.hop,
                                                    packet.last, packet.last});
        if (there) {
            finish(std::move(copy));
        } else {
            taken.push_back(&links.link(packet.hop));
            links.link(packet.hop).accept(std::move(copy));
        }
    }
}

const LinkEvents &Switch::events() const
{
    return events_;
}

const Link &Switch::out_link(NodeIndex node) const
{
    return path(node, node).link(0);
}

std::vector<std::unique_ptr<Link>> &Switch::links()
{
    return links_;
}

Link *Switch::find_link(const std::string &name)
{
    const auto found = std::find_if(links_.begin(), links_.end(),
                                    [&](const auto &link) { return link->name() == name; });
    return found == links_.end() ? nullptr : found->get();
}

const SwitchCounters &Switch::counters() const
{
    return counters_;
}

void Switch::reset_counters()
{
    counters_ = {};
    for (const auto &link : links_)
        link->reset_counters();
}

} // namespace rankwise
