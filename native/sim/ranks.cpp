// Engine: ranks and their sequences of operations.
#include "engine.h"

#include <algorithm>

namespace rankwise::sim
{

namespace
{

/// A rank runs ahead of the clock until it has to wait. After so many sends it lets the others come
/// to their turn, or all messages of a program would exist at once.
constexpr int kMostAhead = 64;
constexpr int kFetchedAhead = 8;

} // namespace

void Engine::run_rank(std::uint32_t number)
{
    Rank &rank = ranks_[number];
    rank.mode = Mode::running;
    if (rank.nodes_left > 0) {
        run_graph(number, rank);
        if (rank.nodes_left > 0)
            return;
    }
    for (int ahead = 0; rank.left > 0; ahead++) {
        // What comes from any source depends on when it is asked for, so nothing is asked for ahead
        // of time.
        if (rank.time > now_ && (rank.has_wildcards || (ahead >= kMostAhead && !rank.in_row))) {
            run_later(number, rank);
            return;
        }
        if (!step(number, rank))
            return;
    }
    rank.mode = Mode::finished;
}

void Engine::run_later(std::uint32_t number, Rank &rank)
{
    if (!rank.run_queued) {
        push(rank.time, kRun, number);
        if (tape_) [[unlikely]]
            tape_->of_run[number] = tape_->of_rank[number];
    }
    rank.run_queued = true;
}

/// Carry out the next operation; false: the rank waits.
bool Engine::step(std::uint32_t number, Rank &rank)
{
    const Operation operation = *rank.next++;
    rank.left--;
    // Thousands of ranks read a sequence each, which is more than a processor foresees.
    __builtin_prefetch(rank.next + kFetchedAhead);
    const std::uint32_t own = rank.own_request;
    const auto post = [&](std::uint32_t handle, bool sends) {
        request(rank, handle) = RequestState::pending;
        rank.pending++;
        const bool is_over = sends ? post_send(number, rank, operation, handle)
                                   : post_receive(number, rank, operation, handle);
        if (is_over && !(rank.in_row && ends_later(number, rank, operation))) {
            request(rank, handle) = RequestState::complete;
            rank.pending--;
        }
    };
    switch (operation.kind()) {
    case Kind::send:
        post(own, true);
        return wait(rank, own);
    case Kind::receive:
        post(own, false);
        return wait(rank, own);
    case Kind::isend:
        post(operation.request(), true);
        return true;
    case Kind::ireceive:
        post(operation.request(), false);
        return true;
    case Kind::wait:
        return wait(rank, operation.request());
    case Kind::wait_all:
        if (rank.pending > 0)
            rank.mode = Mode::on_all;
        else
            forget_complete(number, rank);
        return rank.pending == 0;
    case Kind::wait_any:
        return wait_any(rank, operation);
    case Kind::compute:
        compute(number, rank, operation.duration());
        rank.pending++;
        rank.pending -= rank.in_row && ends_later(number, rank, operation) ? 0 : 1;
        return true;
    case Kind::until:
        if (tape_ && operation.duration() > rank.time) [[unlikely]]
            tape_->of_rank[number] = 0;
        rank.time = std::max(rank.time, operation.duration());
        return true;
    case Kind::graph:
        enter_graph(number, rank, jobs_[rank.job].program->graphs[operation.peer()]);
        run_graph(number, rank);
        return rank.nodes_left == 0;
    }
    return true;
}

/// Of a group in a row: what comes in before this ends may come before what waits for this, as in
/// begin_node.
bool Engine::ends_later(std::uint32_t number, const Rank &rank, const Operation &operation)
{
    const bool is_later =
        rank.in_row && operation.request() == kWaitedFor && rank.pending > 1 && rank.time > now_;
    if (is_later)
        push(rank.time, kNodeEnds, number);
    return is_later;
}

bool Engine::wait(Rank &rank, std::uint32_t number)
{
    if (request(rank, number) == RequestState::pending) {
        rank.mode = Mode::on_request;
        rank.waits_for = number;
        return false;
    }
    request(rank, number) = RequestState::idle;
    return true;
}

/// What all have been waited for is complete for no later wait; only a wait for any would notice.
void Engine::forget_complete(std::uint32_t number, Rank &rank)
{
    const Program &program = *jobs_[rank.job].program;
    if (program.any_lists.empty())
        return;
    for (std::uint32_t i = 0; i < program.requests[number - rank.base]; i++)
        request(rank, i) = RequestState::idle;
}

/// The first complete one of the list counts, as in MPI libraries; if all are idle there is nothing
/// to wait for.
bool Engine::wait_any(Rank &rank, const Operation &operation)
{
    const auto &lists = jobs_[rank.job].program->any_lists;
    bool may_come = false;
    for (std::uint32_t i = 0; i < operation.count(); i++) {
        RequestState &state = request(rank, lists[operation.peer() + i]);
        if (state == RequestState::complete) {
            state = RequestState::idle;
            return true;
        }
        may_come = may_come || state == RequestState::pending;
    }
    if (may_come)
        rank.mode = Mode::on_any;
    return !may_come;
}

void Engine::compute(std::uint32_t number, Rank &rank, Time duration)
{
    const Time begin = rank.time;
    double picoseconds = static_cast<double>(duration);
    if (!noise_.is_silent())
        picoseconds *= noise_.factor(number, rank.draws++);
    rank.time = noise_.is_silent() && duration < kEndOfTime - begin ? begin + duration
                                                                    : after(begin, picoseconds);
    if (record_)
        record_->act(number, Doing::compute, begin, rank.time);
}

/// A send or a receive of the rank is complete now.
void Engine::complete(std::uint32_t number, std::uint32_t handle, Doing doing, Time overhead,
                      std::uint32_t message, std::uint32_t cost)
{
    Rank &rank = ranks_[number];
    if (tape_) [[unlikely]] {
        std::uint32_t &own = tape_->of_rank[number];
        own = now_ >= rank.time ? tape_->now : own;
        own = cost == kNone ? own : tape_->later(own, cost);
    }
    rank.time = std::max(rank.time, now_);
    if (record_)
        record_->act(number, doing, rank.time, rank.time + overhead, message);
    rank.time += overhead;
    if (handle & kNodeHandle) {
        graphs_[number].nodes_pending--;
        end_node(number, rank, handle & ~kNodeHandle, false);
        run_rank(number);
    } else {
        complete_request(number, rank, handle);
    }
}

void Engine::complete_request(std::uint32_t number, Rank &rank, std::uint32_t handle)
{
    request(rank, handle) = RequestState::complete;
    rank.pending--;
    switch (rank.mode) {
    case Mode::on_request:
        if (handle != rank.waits_for)
            return;
        request(rank, handle) = RequestState::idle;
        break;
    case Mode::on_all:
        if (rank.pending > 0)
            return;
        forget_complete(number, rank);
        break;
    case Mode::on_any: {
        rank.mode = Mode::running;
        if (!wait_any(rank, rank.next[-1]))
            return;
        break;
    }
    default:
        return;
    }
    run_rank(number);
}

} // namespace rankwise::sim
