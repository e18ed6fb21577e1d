#include "engine.h"

#include "base/error.h"
#include <algorithm>
#include <cmath>

namespace rankwise::sim
{

namespace
{

std::size_t ranks_of(const std::vector<Job> &jobs)
{
    std::size_t sum = 0;
    for (const Job &job : jobs)
        sum += job.program->ranks();
    return sum;
}

} // namespace

Engine::Engine(const Platform &platform, const std::vector<Job> &jobs, Noise noise, Record *record,
               Tape *tape)
    : platform_(platform), jobs_(jobs), noise_(noise), record_(record), tape_(tape),
      messages_(ranks_of(jobs)), shares_(platform.model.sharing != Sharing::none),
      is_alone_(!shares_ && noise.is_silent() && tape == nullptr)
{
    set_up(jobs);
    const std::uint32_t nodes = static_cast<std::uint32_t>(platform.nodes.size());
    if (!shares_)
        return;
    const std::size_t resources = 2 * std::size_t{nodes} + platform.links.size();
    servers_.reserve(resources);
    for (const Node &node : platform.nodes)
        servers_.push_back({0, kPicosecondsPerSecond / node.out});
    for (const Node &node : platform.nodes)
        servers_.push_back({0, kPicosecondsPerSecond / node.in});
    for (const Link &link : platform.links)
        servers_.push_back({0, kPicosecondsPerSecond / link.rate});
}

/// Programs of small messages alone need neither a network nor a model, which can be large.
void Engine::need_network()
{
    if (network_)
        return;
    network_ = std::make_unique<Network>(platform_);
    network_->now = now_;
    model_ = make_model(platform_.model, *network_);
    lone_is_free_ = model_->lone_is_free();
}

void Engine::set_up(const std::vector<Job> &jobs)
{
    std::size_t ranks = 0, requests = 0, nodes = 0;
    for (const Job &job : jobs) {
        node_base_.push_back(nodes);
        ranks += job.program->ranks();
        nodes += job.program->nodes.size();
    }
    for (const PairClass &pairs : platform_.classes) {
        first_costs_.push_back(static_cast<std::uint32_t>(costs_.size()));
        costs_.insert(costs_.end(), pairs.ranges.begin(), pairs.ranges.end());
    }
    ranks_.reserve(ranks);
    node_of_.reserve(ranks);
    for (std::uint32_t j = 0; j < jobs.size(); j++) {
        const Program &program = *jobs[j].program;
        const auto base = static_cast<std::uint32_t>(ranks_.size());
        for (std::uint32_t r = 0; r < program.ranks(); r++) {
            Rank &rank = ranks_.emplace_back();
            rank.next = program.sequences[r].data();
            rank.left = static_cast<std::uint32_t>(program.sequences[r].size());
            rank.first_request = static_cast<std::uint32_t>(requests);
            rank.job = static_cast<std::uint16_t>(j);
            node_of_.push_back(jobs[j].nodes[r]);
            rank.base = base;
            rank.has_wildcards = program.wildcards[r];
            rank.in_row = program.rows[r];
            rank.own_request = program.requests[r];
            requests += program.requests[r] + 1;
            if (rank.has_wildcards)
                arrivals_[base + r];
        }
    }
    if (requests > UINT32_MAX || jobs.size() > UINT16_MAX)
        throw std::bad_alloc();
    if (nodes > 0)
        graphs_.resize(ranks);
    constexpr std::size_t kFitIntoACache = 1 << 14;
    is_large_ = ranks > kFitIntoACache;
    requests_.assign(requests, RequestState::idle);
    node_states_.resize(nodes);
}

/// Rates that are too low and times that are too long would overflow.
void fail_too_long()
{
    throw input_error("the simulated time exceeds 50 days",
                      "look for absurd sizes, computations or rates");
}

Outcome Engine::run()
{
    for (std::uint32_t r = 0; r < ranks_.size(); r++)
        run_rank(r);
    for (;;) {
        Time due = events_.next();
        if (due != now_ && is_unsettled_) { // all that happens at one instant is settled together
            settle();
            due = events_.next();
        }
        if (due == kNever)
            break;
        now_ = due;
        if (network_)
            network_->now = due;
        outcome_.events++;
        const Event event = events_.pop(due);
        fetch_ahead();
        if (tape_) [[unlikely]]
            tape_->now = instant_of(event);
        handle(event);
    }
    return conclude();
}

[[gnu::cold]] std::uint32_t Engine::cost_of(const Message &message, Cost which) const
{
    const auto next = std::ranges::upper_bound(first_costs_, message.costs);
    return Tape::cost(static_cast<std::uint32_t>(next - first_costs_.begin()) - 1, which);
}

/// An end of a flow may turn out to be none yet; then nothing comes of it.
[[gnu::cold]] std::uint32_t Engine::instant_of(const Event &event)
{
    switch (static_cast<EventKind>(event.kind)) {
    case kRun:
        return tape_->of_run[event.what];
    case kAnnounce:
        return Tape::at(tape_->announced, event.what);
    case kNodeEnds: {
        if (ranks_[event.what].in_row)
            return tape_->of_rank[event.what];
        const GraphPlace &graph = graphs_[event.what];
        return Tape::at(tape_->node_end, graph.first_node + graph.ending.first);
    }
    case kEnd:
    case kServed:
        return 0;
    default:
        return Tape::at(tape_->event, event.what);
    }
}

void Engine::handle(const Event &event)
{
    switch (static_cast<EventKind>(event.kind)) {
    case kRun: {
        Rank &rank = ranks_[event.what];
        rank.run_queued = false;
        if (rank.mode == Mode::running || rank.mode == Mode::in_graph)
            run_rank(event.what);
        break;
    }
    case kBegin:
        begin_transfer(event.what);
        break;
    case kEnd:
        end_flow(event.what, event.due);
        break;
    case kLeft: {
        const Message &message = messages_[event.what];
        push(after(now_, latency(event.what)), kDeliver, event.what);
        if (tape_) [[unlikely]]
            Tape::at(tape_->event, event.what) =
                tape_->later(tape_->now, cost_of(message, Cost::latency));
        complete(message.source, message.send_handle, Doing::sent, 0, event.what);
        break;
    }
    case kDeliver:
        deliver(event.what);
        break;
    case kAnnounce:
        announce(event.what);
        break;
    case kServed:
        if (const Queues::Ended ended = queues_->handle(now_, event.what); ended.message != kNone)
            data_left(ended.message, ended.lost);
        break;
    case kNodeEnds: {
        Rank &rank = ranks_[event.what];
        if (!rank.in_row) {
            GraphPlace &graph = graphs_[event.what];
            end_node(event.what, rank, take_first(graph, graph.ending), true);
        } else if (--rank.pending == 0) {
            run_rank(event.what);
        }
        break;
    }
    }
}

void Engine::settle()
{
    is_unsettled_ = false;
    model_->settle();
    if (tape_) [[unlikely]]
        tape_->settle(*network_);
    for (const std::uint32_t flow : network_->touched) {
        network_->flows[flow].touched = false;
        if (network_->flows[flow].active)
            expect(flow);
    }
    network_->touched.clear();
}

/// Queue the end of a flow, unless an earlier one is queued: that one will look again. Where many
/// share, rates change at every instant: the end is queued as if it could come a quarter earlier.
void Engine::expect(std::uint32_t flow)
{
    constexpr std::uint32_t kMany = 8;
    constexpr double kMargin = 1.25, kNearlyOver = 0.02;
    Flow &f = network_->flows[flow];
    const FlowRoute &route = network_->routes[flow];
    double left = std::max(0.0, network_->remaining(flow));
    if (f.expected != kNever && static_cast<double>(f.expected - now_) <= left)
        return;
    std::uint32_t most = 0;
    for (const std::uint32_t used : route.used())
        most = std::max(most, network_->resources[used].flows.count());
    if (most > kMany && f.rate * left > kNearlyOver * route.whole)
        left /= kMargin;
    const Time due = after(now_, whole_picoseconds(left));
    if (due == f.expected)
        return;
    f.expected = due;
    push(due, kEnd, flow);
}

Outcome Engine::conclude()
{
    std::vector<char> stuck(ranks_.size());
    bool any = false;
    for (std::size_t r = 0; r < ranks_.size(); r++) {
        outcome_.finish.push_back(ranks_[r].time);
        outcome_.total = std::max(outcome_.total, ranks_[r].time);
        stuck[r] = ranks_[r].mode != Mode::finished;
        any = any || stuck[r];
    }
    messages_.each_unmatched(
        [&](const Message &message) { outcome_.unreceived += (message.flags & kSent) != 0; });
    for (const auto &[rank, waiting] : arrivals_)
        outcome_.unreceived += waiting.unexpected.size();
    outcome_.most_messages = messages_.most();
    const std::vector<double> none;
    const std::vector<double> &lost = queues_ ? queues_->lost() : network_ ? network_->lost : none;
    for (std::uint32_t r = 0; r < lost.size(); r++)
        if (lost[r] > 0)
            outcome_.lost_by_resource[r] += lost[r];
    if (any) {
        std::vector<std::string> names;
        std::vector<const Program *> programs;
        for (std::size_t r = 0; r < ranks_.size(); r++) {
            programs.push_back(jobs_[ranks_[r].job].program);
            names.push_back(jobs_.size() == 1 ? std::to_string(r)
                                              : jobs_[ranks_[r].job].name + ":" +
                                                    std::to_string(r - ranks_[r].base));
        }
        outcome_.deadlock = deadlock_report(names, programs, stuck, messages_, arrivals_);
    }
    return std::move(outcome_);
}

} // namespace rankwise::sim
