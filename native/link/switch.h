// The network as a whole: whose frame takes which links. Knows virtual time only.
#pragma once
#include "base/network_file.h"
#include "base/virtual_time.h"
#include "frame.h"
#include "host_bus.h"
#include "link.h"
#include "link_events.h"
#include "packet.h"
#include "path.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankwise
{

/// Where packets end.
class Receiver
{
  public:
    virtual ~Receiver() = default;
    /// `due`: the time at which the packet is wholly there.
    virtual void deliver(const Packet &packet, Time due) = 0;
};

/// The MAC address of a node: locally administered, the last two bytes are its number.
std::array<std::uint8_t, 6> mac_of(NodeIndex node);

/// Frames that belong to no link.
struct SwitchCounters {
    std::uint64_t delivered_packets = 0;
    std::uint64_t unknown_frames = 0; // to a MAC address that nobody has: dropped, not flooded
};

class Switch
{
  public:
    Switch(const Network &network, Receiver &receiver, std::uint64_t seed);

    /// A node sends a frame; what was due before is handled before. Broadcasts take each link
    /// once and are copied where the ways to the other nodes part.
    void accept(NodeIndex source, Frame frame, Time now);
    /// Handles all that is due.
    void run(Time now);
    const LinkEvents &events() const;

    /// The link that all of a node's frames take first.
    const Link &out_link(NodeIndex node) const;
    std::vector<std::unique_ptr<Link>> &links();
    Link *find_link(const std::string &name);
    const SwitchCounters &counters() const;
    void reset_counters();

  private:
    void make_links(const Network &network, std::uint64_t seed);
    void make_paths(const Network &network);
    std::unique_ptr<RateQueue> make_queue(const Network &network, std::size_t link);
    const Path &path(NodeIndex source, NodeIndex destination) const;
    NodeIndex destination_of(const Frame &frame) const;
    void step(PacketPointer packet);
    void finish(PacketPointer packet);
    void flood(const Packet &packet);

    Receiver &receiver_;
    LinkEvents events_;
    std::vector<std::unique_ptr<HostBus>> buses_; // of each node, or null
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<Path> paths_; // source * nodes + destination; itself: its out link
    NodeIndex nodes_;
    SwitchCounters counters_;
};

} // namespace rankwise
