// Flows over resources: which flow uses which resource, and at what rate it goes now.
#pragma once
#include "platform.h"
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rankwise::sim
{

inline constexpr std::uint32_t kNone = 0xffffffff;

/// The flows that share a resource; two need no memory of their own. An entry is the flow and the
/// resource's place in the flow's route.
class FlowList
{
  public:
    FlowList() = default;
    FlowList(const FlowList &) = delete;
    FlowList &operator=(const FlowList &) = delete;
    FlowList(FlowList &&other) noexcept;
    ~FlowList();

    std::span<const std::uint32_t> entries() const
    {
        return {room_ == kInside ? inside_ : outside_, count_};
    }
    std::uint32_t count() const
    {
        return count_;
    }
    void append(std::uint32_t entry)
    {
        if (count_ == room_)
            grow();
        data()[count_++] = entry;
    }
    /// Put the last entry where this one was, and return it.
    std::uint32_t remove(std::uint32_t place)
    {
        std::uint32_t *entries = data();
        entries[place] = entries[--count_];
        return entries[place];
    }

    static std::uint32_t flow_of(std::uint32_t entry)
    {
        return entry >> 3;
    }

  private:
    static constexpr std::uint32_t kInside = 2;

    std::uint32_t *data()
    {
        return room_ == kInside ? inside_ : outside_;
    }
    void grow();

    std::uint32_t count_ = 0, room_ = kInside;
    union {
        std::uint32_t inside_[kInside];
        std::uint32_t *outside_;
    };
};

/// A NIC's direction or a link. Rates are in units of the network's fastest NIC.
struct Resource {
    double capacity = 0;
    double bound = 0; // what of it may be used now: less than the capacity where a host bus is busy
    double load = 0;
    double price = 0; // what the models make of it
    FlowList flows;
};

struct Flow {
    double left = 0; // picoseconds at rate 1
    double rate = 0;
    Time since = 0;        // when `left` was so much
    Time expected = kNever; // the end that is queued
};

struct FlowRoute {
    std::array<std::uint32_t, kLongestRoute> resources{};
    std::array<std::uint32_t, kLongestRoute> places{}; // in the lists of these resources
    double limit = 0;                                  // its rate when it is alone
    double weight = 1;
    double whole = 0; // what was left at its start
    Time start = 0;
    std::uint32_t message = kNone;
    std::uint32_t held_by = kNone; // the resource that keeps it below its limit
    std::uint8_t count = 0;
    bool touched = false;
    bool active = false;

    std::span<const std::uint32_t> used() const
    {
        return {resources.data(), count};
    }
};

/// The state that sharing models work on. Resources: what nodes send through, what they receive
/// through, links, in this order.
class Network
{
  public:
    explicit Network(const Platform &platform);

    std::uint32_t nodes() const
    {
        return nodes_;
    }
    bool sends(std::uint32_t resource) const
    {
        return resource < nodes_;
    }
    bool receives(std::uint32_t resource) const
    {
        return resource >= nodes_ && resource < 2 * nodes_;
    }
    /// Picoseconds a byte at rate 1.
    double byte_time() const
    {
        return byte_time_;
    }
    /// Tell the order in which resources are best solved: senders, receivers, links by their place in routes.
    std::uint32_t layer(std::uint32_t resource) const
    {
        return layers_[resource];
    }

    /// Begin a flow and return its number; nothing has told it its rate yet.
    std::uint32_t begin(std::uint32_t message, std::uint32_t from, std::uint32_t to,
                        std::int64_t bytes, const CostRange &costs, double weight);
    /// Take the flow out of its resources' lists; loads are left to the model.
    void leave(std::uint32_t flow);
    void forget(std::uint32_t flow);

    /// Note what the flow has done so far.
    void advance(std::uint32_t flow)
    {
        Flow &f = flows[flow];
        if (now > f.since) {
            const auto passed = static_cast<double>(now - f.since);
            f.left -= f.rate * passed;
            f.since = now;
            if (routes[flow].held_by != kNone)
                lost[routes[flow].held_by] += passed * (1 - f.rate / routes[flow].limit);
        }
    }
    /// Let the flow go on at this rate.
    void set_rate(std::uint32_t flow, double rate)
    {
        advance(flow);
        flows[flow].rate = rate;
        touch(flow);
    }
    void touch(std::uint32_t flow)
    {
        if (!routes[flow].touched) {
            routes[flow].touched = true;
            touched.push_back(flow);
        }
    }
    /// Return how many picoseconds the flow still takes at its rate.
    double remaining(std::uint32_t flow) const
    {
        const Flow &f = flows[flow];
        return (f.left - f.rate * static_cast<double>(now - f.since)) / f.rate;
    }
    /// Write a resource's name as reports do: node or link, and the direction.
    std::string name(std::uint32_t resource) const;

    Time now = 0;
    std::vector<Resource> resources;
    std::vector<Flow> flows;
    std::vector<FlowRoute> routes;
    std::vector<std::uint32_t> touched; // flows whose rate is new
    std::vector<double> lost;           // picoseconds for which each resource held flows back

  private:
    const Platform &platform_;
    std::uint32_t nodes_;
    double byte_time_;
    std::vector<std::uint32_t> layers_;
    std::vector<std::uint32_t> free_;
};

} // namespace rankwise::sim
