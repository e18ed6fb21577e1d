// Data in the queues of NICs and links: in which order they are served, and how much of each flow
// waits there.
#pragma once
#include "event_lanes.h"
#include "network.h"
#include <cstdint>
#include <vector>

namespace rankwise::sim
{

/// The model "queues": where all others give flows rates, here the data go in chunks through the
/// resources on their way, each of which serves what comes first. A chunk goes on as soon as its
/// first byte is served, so that a flow alone takes bytes times G. A flow has at most its window of
/// data in the queues, and what has arrived makes room for as much (TCP's windows) when its
/// acknowledgement is back. An acknowledgement overtakes data in NICs, and waits behind them on
/// links between sites: one flow against many gets as little as one of these. A flow begins with a
/// quarter of the window, which then grows by what arrives: it doubles each time that the queues
/// have let it pass (slow start). The data of a rendezvous are asked for: a request and its answer,
/// of no bytes, wait in the queues before them.
///
/// Flows that stay share as alpha-fair sharing with alpha = 1 has it, with windows for weights:
/// what a flow has in a queue is its rate times the delay there, and a price is such a delay.
///
/// The host bus: what a node receives takes its time on the bus, and what it sends waits until that
/// has passed.
class Queues
{
  public:
    /// Its own events go into `events`, as the kind `served`.
    Queues(const Platform &platform, EventLanes &events, std::uint32_t served);

    struct Data {
        std::uint32_t message = kNone;
        std::uint32_t from = 0, to = 0;
        std::int64_t bytes = 0;
        double gap_byte = 0;
        double weight = 1; // of its window
        bool asks = false; // a request goes before it
    };
    void begin(Time now, const Data &data);

    struct Ended {
        std::uint32_t message = kNone; // none has ended
        double lost = 0;               // picoseconds more than alone
    };
    /// An event of its own is due.
    Ended handle(Time now, std::uint32_t what);

    /// Return the picoseconds that they take alone.
    double alone(const Data &data) const;
    /// Picoseconds that messages were later for having waited longest at each resource.
    const std::vector<double> &lost() const
    {
        return lost_;
    }

  private:
    enum class Stage : std::uint8_t { request, answer, data };

    /// Elements by number; a number that is given back is taken again.
    template <typename T> class Pool
    {
      public:
        std::uint32_t take()
        {
            if (free_.empty()) {
                all_.emplace_back();
                return static_cast<std::uint32_t>(all_.size() - 1);
            }
            const std::uint32_t number = free_.back();
            free_.pop_back();
            all_[number] = {};
            return number;
        }
        void give_back(std::uint32_t number)
        {
            free_.push_back(number);
        }
        T &operator[](std::uint32_t number)
        {
            return all_[number];
        }
        const T &operator[](std::uint32_t number) const
        {
            return all_[number];
        }

      private:
        std::vector<T> all_;
        std::vector<std::uint32_t> free_;
    };
    struct Resource {
        double byte_time = 0;
        std::uint32_t first = kNone, last = kNone; // chunks that wait
        std::uint32_t delivers = kNone;            // the chunk that arrives when it is served
        bool is_busy = false;
    };
    struct Transfer {
        Data data;
        FlowRoute route;                  // of the stage that it is in
        FlowRoute back;                   // links on the way of acknowledgements
        std::uint32_t unacknowledged = 0; // acknowledgements under way
        Stage stage = Stage::data;
        std::int64_t unsent = 0, unreceived = 0, under_way = 0;
        std::int64_t chunk = 0;
        std::int64_t window = 0, whole_window = 0;
        double byte_time = 0;        // alone
        Time paced = 0;              // alone, what has begun would be there then
        Time begun = 0, reached = 0; // when a chunk arrived last
    };
    struct Chunk {
        std::uint32_t transfer = kNone;
        std::uint32_t next = kNone;
        std::int64_t bytes = 0;
        std::int64_t acknowledges = 0; // bytes; then it has none of its own
        std::uint32_t hop = 0;
        std::uint32_t held_by = kNone; // where it waited longest
        Time longest = 0;
        Time since = 0; // it waits
        Time whole = 0; // when its last byte is there
    };

    void send(Time now, std::uint32_t transfer);
    void append(Time now, std::uint32_t transfer, std::int64_t bytes);
    void acknowledge(Time now, std::uint32_t transfer, std::int64_t bytes);
    void make_room(Time now, std::uint32_t transfer, std::int64_t bytes);
    const FlowRoute &route_of(const Chunk &chunk) const
    {
        const Transfer &one = transfers_[chunk.transfer];
        return chunk.acknowledges ? one.back : one.route;
    }
    void wait(Time now, std::uint32_t chunk);
    void serve(Time now, std::uint32_t resource);
    void take_bus(Time now, std::uint32_t node, std::int64_t bytes);
    Ended arrive(Time now, std::uint32_t chunk);
    double byte_time(const Data &data, const FlowRoute &route) const;
    bool has_bus() const
    {
        return platform_.model.kappa < 2;
    }

    const Platform &platform_;
    EventLanes &events_;
    const std::uint32_t served_;
    const std::int64_t chunk_bytes_;
    std::vector<Resource> resources_; // as in Network
    std::vector<Time> bus_free_;      // of each node
    Pool<Transfer> transfers_;
    Pool<Chunk> chunks_;
    std::vector<double> lost_;
};

} // namespace rankwise::sim
