// What each instant of a run depended on, so that the derivatives of the total time can be taken
// afterwards: the tape of reverse-mode differentiation.
#pragma once
#include "network.h"
#include <array>
#include <cstdint>
#include <vector>

namespace rankwise::sim
{

/// The costs of a pair class that the tape knows, as CostRange has them.
enum class Cost : std::uint32_t { latency, send_overhead, receive_overhead, gap, gap_byte };
inline constexpr std::uint32_t kCosts = 5;

/// An instant of the run: the instant before it that decided it, and how far it moves with one
/// parameter besides (picoseconds a unit).
struct Instant {
    std::uint32_t before;
    std::uint32_t parameter;
    double moves;
};

/// A flow, from its beginning to its end.
struct TapedFlow {
    std::array<std::uint32_t, kLongestRoute> resources{};
    double weight = 1, limit = 0;
    double rate = -1;               // the last one noted; below 0: none yet
    std::uint32_t limiting = kNone; // the parameter that sets the limit
    double limit_moves = 0;         // and by how much a unit of it
    std::uint32_t begin = 0;
    std::uint8_t count = 0;

    std::span<const std::uint32_t> used() const
    {
        return {resources.data(), count};
    }
};

/// What happened to flows, in order.
struct FlowChange {
    enum class What : std::uint8_t { begins, ends, has_rate };
    Time time;
    double rate_before; // of has_rate
    std::uint32_t flow;
    std::uint32_t cause; // of has_rate, an instant
    std::uint32_t place; // the instants from here on were later; of an end it is this one
    What what;
};

/// The engine notes on it. All its values are numbers of instants. Parameters are numbered: the
/// costs of all pair classes, then the rates of all resources.
class Tape
{
  public:
    Tape(const Platform &platform, std::uint32_t ranks)
        : of_rank(ranks), of_run(ranks), of_nic(ranks),
          of_server(2 * platform.nodes.size() + platform.links.size()),
          first_rate_(static_cast<std::uint32_t>(platform.classes.size()) * kCosts)
    {
        instants_.push_back({0, kNone, 0});
    }
    static std::uint32_t cost(std::uint32_t pair_class, Cost which)
    {
        return pair_class * kCosts + static_cast<std::uint32_t>(which);
    }
    std::uint32_t rate(std::uint32_t resource) const
    {
        return first_rate_ + resource;
    }
    std::size_t parameters() const
    {
        return first_rate_ + of_server.size();
    }
    /// Return the instant that is later than `before` by what depends on a parameter.
    std::uint32_t later(std::uint32_t before, std::uint32_t parameter, double moves = 1);
    /// Return the place of a message, or of a graph's node, in a table that grows.
    static std::uint32_t &at(std::vector<std::uint32_t> &places, std::size_t number)
    {
        if (places.size() <= number)
            places.resize(number + number / 2 + 64);
        return places[number];
    }

    /// `gap_byte` is G of the pair class, and its parameter.
    void begin_flow(const Network &network, std::uint32_t flow, double gap_byte,
                    std::uint32_t gap_parameter);
    /// Return the instant of its end.
    std::uint32_t end_flow(const Network &network, std::uint32_t flow);
    /// The rates of the flows that were touched are those of now on.
    void settle(const Network &network);
    void note_rate(const Network &network, std::uint32_t flow);

    /// Return the most instants that moved with a parameter on any path to the end of the run:
    /// along what each instant depended on, by rates too.
    std::uint32_t longest_path(std::uint32_t parameter) const;

    const std::vector<Instant> &instants() const
    {
        return instants_;
    }
    const std::vector<TapedFlow> &flows() const
    {
        return flows_;
    }
    const std::vector<FlowChange> &changes() const
    {
        return changes_;
    }

    std::uint32_t now = 0;
    std::vector<std::uint32_t> of_rank;           // its time
    std::vector<std::uint32_t> of_run;            // when it is to go on
    std::vector<std::uint32_t> of_nic, of_server; // when they are free
    std::vector<std::uint32_t> posted;            // of each message: its first side
    std::vector<std::uint32_t> event;             // of each message: what happens to it next
    std::vector<std::uint32_t> announced;         // of each message
    std::vector<std::uint32_t> node_end;          // of each graph node

  private:
    void note_cause(Time time, std::uint32_t instant);
    std::uint32_t place() const
    {
        return static_cast<std::uint32_t>(instants_.size());
    }

    std::uint32_t first_rate_;
    std::vector<Instant> instants_;
    std::vector<TapedFlow> flows_;
    std::vector<std::uint32_t> serial_; // of the network's flows: their number here
    std::vector<FlowChange> changes_;
    std::uint32_t cause_ = 0; // of the settling at this time
    Time cause_time_ = -1;
};

} // namespace rankwise::sim
