// The simulation: ranks run their programs, messages are matched and travel, time goes on.
#pragma once
#include "event_lanes.h"
#include "matching.h"
#include "models/sharing_model.h"
#include "network.h"
#include "noise.h"
#include "platform.h"
#include "program.h"
#include "queues.h"
#include "recorder.h"
#include "tape.h"
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankwise::sim
{

/// A program and where its ranks are.
struct Job {
    std::string name;
    const Program *program = nullptr;
    std::vector<std::uint32_t> nodes; // of each rank
};

struct Outcome {
    std::vector<Time> finish; // of each rank, job by job
    Time total = 0;
    std::uint64_t messages = 0, events = 0;
    std::int64_t bytes = 0;
    std::uint64_t unreceived = 0;    // messages that nobody asked for
    std::uint32_t most_messages = 0; // at once
    /// Picoseconds that messages took longer than alone, by what held them back and by pair of
    /// nodes.
    std::unordered_map<std::uint32_t, double> lost_by_resource;
    std::unordered_map<std::uint64_t, double> lost_by_pair; // source << 32 | destination
    std::string deadlock; // who waits for whom; empty: there is none
};

/// One run. How time is counted:
///   - a send takes its rank o_s, a receive o_r, a message L from its last byte's leaving to its
///   arrival;
///   - an eager send is over after o_s; others send a request, and data when the receive is posted
///   and
///     its answer is back: the later of both sides, and L there or there and back;
///   - messages up to the packet's size are served by each resource one after another, with the gap
///   g
///     after each at the NIC (LogGP exactly); larger ones are flows, which share resources as the
///     model says;
///   - with the model "queues" and a window, these have no rates, but wait in queues (queues.h);
///   derivatives are those of the rates that such flows come to;
///   - without a model, and within a node, messages go at their G; of a rank that sends to other
///   nodes one after
///     another.
/// A rank has one processor: the overhead of a receive comes when the message does, or after what
/// it does then.
class Engine
{
  public:
    Engine(const Platform &platform, const std::vector<Job> &jobs, Noise noise = {},
           Record *record = nullptr, Tape *tape = nullptr);
    Outcome run();

  private:
    enum EventKind : std::uint32_t {
        kRun,
        kBegin,
        kEnd,
        kLeft,
        kDeliver,
        kAnnounce,
        kNodeEnds,
        kServed
    };
    enum class Mode : std::uint8_t { running, on_request, on_all, on_any, in_graph, finished };
    enum class RequestState : char { idle, pending, complete };

    struct NodeState {
        std::uint32_t done = 0; // of those that it waits for
        std::uint32_t next = 0; // in a queue
    };
    /// Nodes in the order in which they came, linked through NodeState::next.
    struct NodeQueue {
        std::uint32_t first = kNone, last = kNone;
    };
    /// Events visit millions of them in no order, so each is one line of the cache.
    struct alignas(64) Rank {
        const Operation *next = nullptr;
        Time time = 0;
        Time nic_free = 0;               // without a model
        std::uint32_t left = 0;          // operations, from `next` on
        std::uint32_t base = 0;          // the job's first rank
        std::uint32_t first_request = 0; // of all requests
        std::uint32_t own_request = 0;   // of the sends and receives that it waits for at once
        std::uint32_t pending = 0, waits_for = 0; // requests
        std::uint32_t nodes_left = 0;             // of the graph that it is in
        std::uint32_t draws = 0;
        std::uint32_t unbegun = 0; // sends whose data have not begun to leave
        std::uint16_t job = 0;
        Mode mode = Mode::running;
        bool has_wildcards : 1 = false, run_queued : 1 = false, in_row : 1 = false;
    };
    static_assert(sizeof(Rank) == 64);
    /// Where a rank is in its graph.
    struct GraphPlace {
        const GraphNode *nodes = nullptr;
        const Successor *successors = nullptr; // of all graphs
        std::uint64_t first_node = 0;          // of the graph, among all nodes
        std::uint32_t nodes_pending = 0;
        NodeQueue ready, ending;
    };
    /// A resource that serves small messages one after another.
    struct Server {
        Time busy_until = 0;
        double byte_time = 0;
    };
    static constexpr std::uint32_t kNodeHandle = 0x80000000;

    // engine.cpp: time
    void set_up(const std::vector<Job> &jobs);
    void handle(const Event &event);
    static bool is_of_message(const Event &event)
    {
        return event.kind == kBegin || event.kind == kLeft || event.kind == kDeliver;
    }
    void fetch_ahead() const;
    void fetch_chains() const;
    void settle();
    void expect(std::uint32_t flow);
    Outcome conclude();
    void push(Time due, EventKind kind, std::uint32_t what)
    {
        events_.push(now_, due, kind, what);
    }
    /// Tell the tape's number of what a message costs.
    std::uint32_t cost_of(const Message &message, Cost which) const;
    std::uint32_t instant_of(const Event &event);

    // ranks.cpp: sequences
    void run_rank(std::uint32_t number);
    void run_later(std::uint32_t number, Rank &rank);
    bool step(std::uint32_t number, Rank &rank);
    bool ends_later(std::uint32_t number, const Rank &rank, const Operation &operation);
    bool wait(Rank &rank, std::uint32_t request);
    void forget_complete(std::uint32_t number, Rank &rank);
    bool wait_any(Rank &rank, const Operation &operation);
    void compute(std::uint32_t number, Rank &rank, Time duration);
    void complete(std::uint32_t number, std::uint32_t handle, Doing doing, Time overhead,
                  std::uint32_t message, std::uint32_t cost = kNone);
    void complete_request(std::uint32_t number, Rank &rank, std::uint32_t handle);
    RequestState &request(const Rank &rank, std::uint32_t number)
    {
        return requests_[rank.first_request + number];
    }

    // graphs.cpp
    void enter_graph(std::uint32_t number, Rank &rank, const Graph &graph);
    void run_graph(std::uint32_t number, Rank &rank);
    void begin_node(std::uint32_t number, Rank &rank, std::uint32_t node);
    void end_node(std::uint32_t number, Rank &rank, std::uint32_t node, bool deferred);
    void satisfy(std::uint32_t number, std::uint32_t node, bool at_start);
    void append(const GraphPlace &graph, NodeQueue &queue, std::uint32_t node);
    std::uint32_t take_first(const GraphPlace &graph, NodeQueue &queue);

    // messages.cpp: each post tells whether it is complete at once
    bool post_send(std::uint32_t number, Rank &rank, const Operation &operation,
                   std::uint32_t handle);
    bool post_receive(std::uint32_t number, Rank &rank, const Operation &operation,
                      std::uint32_t handle);
    bool post_wildcard(std::uint32_t number, Rank &rank, std::uint32_t source, std::int32_t tag,
                       std::uint32_t handle);
    void announce(std::uint32_t message);
    bool take_arrived(std::uint32_t number, Rank &rank, std::uint32_t message);
    /// A time, and on the tape, if there is one, the instant.
    struct Moment {
        Time time;
        std::uint32_t instant;
    };
    void rendezvous(std::uint32_t message, Moment sent, Moment received);
    std::uint32_t own_instant(std::uint32_t number) const
    {
        return tape_ ? tape_->of_rank[number] : 0;
    }
    std::uint32_t posted_instant(std::uint32_t message) const
    {
        return tape_ ? Tape::at(tape_->posted, message) : 0;
    }
    void deliver(std::uint32_t message);
    Time latency(std::uint32_t message);
    /// What is known of a message from its send on.
    void set_costs(Message &message);
    const CostRange &costs_of(const Message &message) const
    {
        return costs_[message.costs];
    }

    // transfer.cpp: data on their way
    void begin_transfer(std::uint32_t message);
    void serve(std::uint32_t message);
    void serve_alone(std::uint32_t message, Time begin);
    void leave_at(std::uint32_t message, Time time, std::uint32_t instant);
    std::uint32_t served(const Message &message, std::uint32_t resource, std::uint32_t begin);
    void need_network();
    void begin_flow(std::uint32_t message);
    void end_flow(std::uint32_t flow, Time due);
    void queue(std::uint32_t message);
    void data_left(std::uint32_t message, double lost);
    void lose(std::uint32_t source, std::uint32_t destination, std::uint32_t resource, double time);

    const Platform &platform_;
    const std::vector<Job> &jobs_;
    Noise noise_;
    Record *record_;
    Tape *tape_;                       // if derivatives are wanted
    std::unique_ptr<Network> network_; // from the first flow on
    std::unique_ptr<SharingModel> model_;
    std::unique_ptr<Queues> queues_; // in place of both
    bool lone_is_free_ = true, is_unsettled_ = false, is_large_ = false;
    EventLanes events_;
    Matching messages_;
    Time now_ = 0;
    std::vector<CostRange> costs_;           // of all classes
    std::vector<std::uint32_t> first_costs_; // of each class
    HugeVector<std::uint32_t> node_of_;      // each rank
    HugeVector<Rank> ranks_;
    HugeVector<GraphPlace> graphs_; // of each rank, if any has a graph
    std::vector<RequestState> requests_;
    HugeVector<NodeState> node_states_;                    // of each node of all graphs
    std::vector<std::uint64_t> node_base_;                 // of each job
    std::unordered_map<std::uint32_t, Arrivals> arrivals_; // of ranks with wildcards
    HugeVector<Server> servers_;                           // each resource
    const bool shares_;
    const bool is_alone_; // the time at which eager data leave is known when they are sent
    Outcome outcome_;
};

/// Say who waits for whom: each rank that is stuck, what it waits for, and a circle if there is
/// one.
std::string deadlock_report(const std::vector<std::string> &names,
                            const std::vector<const Program *> &programs, // of each rank
                            const std::vector<char> &stuck, const Matching &messages,
                            const std::unordered_map<std::uint32_t, Arrivals> &arrivals);

} // namespace rankwise::sim
