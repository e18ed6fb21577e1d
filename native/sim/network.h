// Flows over resources: which flow uses which resource, and at what rate it goes now.
#pragma once
#include "huge_pages.h"
#include "platform.h"
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rankwise::sim
{

inline constexpr std::uint32_t kNone = 0xffffffff;

/// A flow in the list of a resource.
struct Entry {
    std::uint32_t flow_and_place; // the flow, and the resource's place in its route
    std::uint32_t other; // the other resource, if there is just one and the weight is 1; else kNone
    double limit;        // of the flow: here so that models need not visit it

    std::uint32_t flow() const
    {
        return flow_and_place >> 3;
    }
    std::uint32_t place() const
    {
        return flow_and_place & 7;
    }
};

/// The flows that share a resource; two need no memory of their own.
class FlowList
{
  public:
    FlowList() = default;
    FlowList(const FlowList &) = delete;
    FlowList &operator=(const FlowList &) = delete;
    FlowList(FlowList &&other) noexcept;
    ~FlowList();

    std::span<const Entry> entries() const
    {
        return {room_ == kInside ? inside_ : outside_, count_};
    }
    std::uint32_t count() const
    {
        return count_;
    }
    Entry &at(std::uint32_t place)
    {
        return data()[place];
    }
    void append(Entry entry)
    {
        if (count_ == room_)
            grow();
        data()[count_++] = entry;
    }
    /// Put the last entry where this one was, and return it.
    Entry remove(std::uint32_t place)
    {
        Entry *entries = data();
        entries[place] = entries[--count_];
        return entries[place];
    }

  private:
    static constexpr std::uint32_t kInside = 2;

    Entry *data()
    {
        return room_ == kInside ? inside_ : outside_;
    }
    void grow();

    std::uint32_t count_ = 0, room_ = kInside;
    union {
        Entry inside_[kInside];
        Entry *outside_;
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

/// What changes of a flow.
struct Flow {
    double left = 0; // picoseconds at rate 1
    double rate = 0;
    double limit = 0;              // its rate when it is alone
    Time since = 0;                // when `left` was so much
    Time expected = kNever;        // the end that is queued
    std::uint32_t held_by = kNone; // the resource that keeps it below its limit
    bool touched = false;
    bool active = false;
};

struct FlowRoute {
    std::array<std::uint32_t, kLongestRoute> resources{};
    std::array<std::uint32_t, kLongestRoute> places{}; // in the lists of these resources
    double weight = 1;
    double whole = 0; // what was left at its start
    Time start = 0;
    std::uint32_t message = kNone;
    std::uint8_t count = 0;

    std::span<const std::uint32_t> used() const
    {
        return {resources.data(), count};
    }
};

/// Find the resources between two nodes, in their order.
void find_path(const Platform &platform, std::uint32_t from, std::uint32_t to, FlowRoute &route);

/// Write a resource's name as reports do: node or link, and the direction.
std::string name_of_resource(const Platform &platform, std::uint32_t resource);

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
    /// Tell the order in which resources are best solved: senders, receivers, links by their place
    /// in routes.
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
            if (f.held_by != kNone)
                lost[f.held_by] += passed * (1 - f.rate / f.limit);
        }
    }
    /// Let the flow go on at this rate; `held_by` is the resource that keeps it from its limit, or
    /// kNone.
    void set_rate(std::uint32_t flow, double rate, std::uint32_t held_by)
    {
        advance(flow);
        Flow &f = flows[flow];
        f.rate = rate;
        f.held_by = held_by;
        if (!f.touched) {
            f.touched = true;
            touched.push_back(flow);
        }
    }
    /// Return how many picoseconds the flow still takes at its rate.
    double remaining(std::uint32_t flow) const
    {
        const Flow &f = flows[flow];
        return (f.left - f.rate * static_cast<double>(now - f.since)) / f.rate;
    }
    Time now = 0;
    HugeVector<Resource> resources;
    HugeVector<Flow> flows;
    HugeVector<FlowRoute> routes;
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
