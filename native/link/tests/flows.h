// Flows with fixed windows, as of TCP without losses: what an MPI sends, without a TCP.
#pragma once
#include "world.h"
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace rankwise::test
{

struct Flow {
    NodeIndex source;
    NodeIndex destination;
};

/// All flows start at once and send as many bytes. For each packet that arrives a pure
/// acknowledgement goes back, which lets the next packet go.
class FlowRun
{
  public:
    FlowRun(const std::string &description, std::vector<Flow> flows, std::uint32_t packet_payload,
            std::uint32_t window_packets, std::uint32_t packets)
        : world_(description), flows_(std::move(flows)), payload_(packet_payload),
          left_(flows_.size(), packets), arrived_(flows_.size(), 0), ends_(flows_.size(), 0)
    {
        world_.on_arrival = [this](const Packet &packet, Time due) { receive(packet, due); };
        for (std::size_t i = 0; i < flows_.size(); i++)
            of_pair_[{flows_[i].source, flows_[i].destination}] = i;
        // In turns and a little apart, as processes start: no flow has all of its window before
        // another's.
        for (std::uint32_t k = 0; k < window_packets; k++)
            for (std::size_t i = 0; i < flows_.size(); i++)
                send(i, Time{k} * 10 * microsecond);
        packets_ = packets;
        world_.run();
    }

    /// When each flow's last packet arrived.
    const std::vector<Time> &ends() const
    {
        return ends_;
    }

    std::uint64_t dropped()
    {
        std::uint64_t sum = 0;
        for (const auto &link : world_.network_switch.links())
            sum += link->counters().dropped_packets;
        return sum;
    }

  private:
    void send(std::size_t flow, Time now)
    {
        if (left_[flow] == 0)
            return;
        left_[flow]--;
        world_.network_switch.accept(flows_[flow].source,
                                     tcp_frame({.source = flows_[flow].source,
                                                .destination = flows_[flow].destination,
                                                .payload = payload_}),
                                     now);
    }

    void receive(const Packet &packet, Time due)
    {
        if (packet.frame.pure_acknowledgement())
            return send(of_pair_.at({packet.destination, packet.source}), due);
        const std::size_t flow = of_pair_.at({packet.source, packet.destination});
        if (++arrived_[flow] == packets_)
            ends_[flow] = due;
        world_.network_switch.accept(
            packet.destination,
            tcp_frame({.source = packet.destination, .destination = packet.source, .payload = 0}),
            due);
    }

    World world_;
    std::vector<Flow> flows_;
    std::map<std::pair<NodeIndex, NodeIndex>, std::size_t> of_pair_;
    std::uint32_t payload_;
    std::uint32_t packets_ = 0;
    std::vector<std::uint32_t> left_;
    std::vector<std::uint32_t> arrived_;
    std::vector<Time> ends_;
};

/// Times in units of one flow's time alone.
inline std::vector<double> relative_times(const std::string &description,
                                          const std::vector<Flow> &flows,
                                          std::uint32_t packet_payload,
                                          std::uint32_t window_packets, std::uint32_t packets,
                                          std::uint64_t &dropped)
{
    FlowRun alone(description, {flows[0]}, packet_payload, window_packets, packets);
    FlowRun together(description, flows, packet_payload, window_packets, packets);
    dropped = alone.dropped() + together.dropped();
    std::vector<double> times;
    for (const Time end : together.ends())
        times.push_back(static_cast<double>(end) / static_cast<double>(alone.ends()[0]));
    return times;
}

} // namespace rankwise::test
