// The elementary conflicts of Martinasso and Mehaut, Model of concurrent MPI communications over
// SMP clusters (2006): each conflict cuts the rates of its flows to 1/(1 + cut) of what they have
// alone.
//
// Flows conflict where they leave one node together (out), where they enter one (in), and where one
// enters the node that the other leaves (mixed). R1: the pattern is cut into conflicts of one or
// two flows; R2: but what is joined by conflicts of one direction alone (a zigzag) stays whole; R3:
// a flow in such a conflict is in no mixed one. What the paper leaves open is settled here, and was
// measured where it could be:
//   - an odd zigzag has the cuts a, 1/a, a, ..., a from end to end (a is `outer_cut`); an even or
//   closed one, and two
//     flows, have 1 each;
//   - where more than two flows share a direction of a node, each flow of the whole has the k-th
//   part of its rate, k
//     being the more crowded of its two ends;
//   - of flows one behind the other, 0->1->2->3, the first two are a mixed conflict, in which the
//   second
//     one has the cut `mixed_cut` and the first none; then the third is looked at as if it were
//     first. A circle begins with the flow that began first.
//   - links between sites are not part of the paper's networks: here they are not shared.
#include "sharing_model.h"

#include <algorithm>

namespace rankwise::sim
{

namespace
{

class FlowCuts final : public SharingModel
{
  public:
    FlowCuts(const ModelSettings &settings, Network &network)
        : network_(network), outer_(settings.outer_cut), mixed_(settings.mixed_cut),
          seen_(network.resources.size())
    {
    }
    void started(std::uint32_t flow) override
    {
        network_.set_rate(flow, network_.flows[flow].limit, kNone);
        changed_.push_back(sender(flow));
        changed_.push_back(receiver(flow));
    }
    void ended(std::uint32_t flow) override
    {
        changed_.push_back(sender(flow));
        changed_.push_back(receiver(flow));
    }
    void settle() override;
    bool lone_is_free() const override
    {
        return mixed_ == 0; // else two flows that share no resource may conflict
    }

  private:
    std::uint32_t bottleneck(std::uint32_t flow) const
    {
        const bool in = flows_at(receiver(flow)).size() > flows_at(sender(flow)).size();
        return in ? receiver(flow) : sender(flow);
    }
    std::uint32_t sender(std::uint32_t flow) const
    {
        return network_.routes[flow].resources[0];
    }
    std::uint32_t receiver(std::uint32_t flow) const
    {
        const FlowRoute &route = network_.routes[flow];
        return route.resources[route.count - 1U];
    }
    std::span<const Entry> flows_at(std::uint32_t resource) const
    {
        return network_.resources[resource].flows.entries();
    }
    /// The resource that the same node does the opposite with.
    std::uint32_t opposite(std::uint32_t resource) const
    {
        return network_.sends(resource) ? resource + network_.nodes() : resource - network_.nodes();
    }
    bool is_single(std::uint32_t flow) const
    {
        return flows_at(sender(flow)).size() == 1 && flows_at(receiver(flow)).size() == 1;
    }
    /// The only flow at the resource, if it is single; else kNone.
    std::uint32_t single_at(std::uint32_t resource) const
    {
        const auto flows = flows_at(resource);
        if (flows.size() != 1 || !is_single(flows[0].flow()))
            return kNone;
        return flows[0].flow();
    }
    void cut(std::uint32_t flow, double share)
    {
        const double rate = share * network_.flows[flow].limit;
        if (rate != network_.flows[flow].rate)
            network_.set_rate(flow, rate, share < 1 ? bottleneck(flow) : kNone);
    }
    void find_flows(std::uint32_t resource);
    void share_whole();
    bool share_zigzag();
    void share_chain(std::uint32_t flow);
    void collect_chains(std::uint32_t resource);

    Network &network_;
    const double outer_, mixed_;
    std::vector<std::uint32_t> changed_, resources_, flows_, chained_;
    std::vector<char> seen_;
};

/// Find the flows joined to a resource by conflicts of one direction, and their resources.
void FlowCuts::find_flows(std::uint32_t resource)
{
    resources_.assign(1, resource);
    flows_.clear();
    seen_[resource] = true;
    for (std::size_t i = 0; i < resources_.size(); i++)
        for (const Entry &entry : flows_at(resources_[i])) {
            const std::uint32_t flow = entry.flow();
            const std::uint32_t ends[] = {sender(flow), receiver(flow)};
            if (network_.sends(resources_[i]))
                flows_.push_back(flow);
            for (const std::uint32_t end : ends)
                if (!seen_[end]) {
                    seen_[end] = true;
                    resources_.push_back(end);
                }
        }
}

/// False: it is no path of an odd number of flows.
bool FlowCuts::share_zigzag()
{
    if (flows_.size() % 2 == 0)
        return false;
    std::uint32_t at = kNone;
    for (const std::uint32_t resource : resources_) {
        if (flows_at(resource).size() > 2)
            return false;
        if (flows_at(resource).size() == 1)
            at = std::min(at, resource);
    }
    if (at == kNone || resources_.size() != flows_.size() + 1)
        return false;
    std::uint32_t before = kNone;
    for (std::size_t i = 0; i < flows_.size(); i++) {
        const auto here = flows_at(at);
        std::uint32_t flow = here[0].flow();
        if (flow == before)
            flow = here[1].flow();
        cut(flow, 1 / (1 + (i % 2 == 0 ? outer_ : 1 / outer_)));
        at = sender(flow) == at ? receiver(flow) : sender(flow);
        before = flow;
    }
    return true;
}

void FlowCuts::share_whole()
{
    if (share_zigzag())
        return;
    for (const std::uint32_t flow : flows_)
        cut(flow, 1 / static_cast<double>(std::max(flows_at(sender(flow)).size(),
                                                   flows_at(receiver(flow)).size())));
}

/// Go upstream to the first flow of the chain, or round a circle to the one that began first, and
/// down from there.
void FlowCuts::share_chain(std::uint32_t flow)
{
    const auto earlier = [&](std::uint32_t one, std::uint32_t other) {
        const FlowRoute &a = network_.routes[one], &b = network_.routes[other];
        return a.start != b.start ? a.start < b.start : sender(one) < sender(other);
    };
    std::uint32_t first = flow, oldest = flow;
    for (std::uint32_t up = single_at(opposite(sender(flow))); up != kNone;
         up = single_at(opposite(sender(up)))) {
        if (up == flow) {
            first = oldest;
            break;
        }
        first = up;
        oldest = earlier(up, oldest) ? up : oldest;
    }
    bool after_another = false;
    std::uint32_t at = first;
    do {
        cut(at, after_another ? 1 / (1 + mixed_) : 1);
        seen_[sender(at)] = true;
        resources_.push_back(sender(at));
        after_another = !after_another;
        at = single_at(opposite(receiver(at)));
    } while (at != kNone && at != first);
}

/// Chains through a node can change with either of its directions.
void FlowCuts::collect_chains(std::uint32_t resource)
{
    for (const std::uint32_t end : {resource, opposite(resource)})
        if (const std::uint32_t flow = single_at(end); flow != kNone)
            chained_.push_back(flow);
}

void FlowCuts::settle()
{
    std::vector<std::uint32_t> met;
    for (const std::uint32_t resource : changed_) {
        if (seen_[resource])
            continue;
        find_flows(resource);
        met.insert(met.end(), resources_.begin(), resources_.end());
        if (flows_.size() > 1)
            share_whole();
    }
    changed_.clear();
    for (const std::uint32_t resource : met) {
        seen_[resource] = false;
        collect_chains(resource);
    }
    resources_.clear();
    for (const std::uint32_t flow : chained_)
        if (!seen_[sender(flow)])
            share_chain(flow);
    for (const std::uint32_t resource : resources_)
        seen_[resource] = false;
    chained_.clear();
}

} // namespace

std::unique_ptr<SharingModel> make_flow_cuts(const ModelSettings &settings, Network &network)
{
    return std::make_unique<FlowCuts>(settings, network);
}

} // namespace rankwise::sim
