#include "emulator.h"

#include "base/error.h"
#include "realtime.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <random>
#include <span>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <utility>

namespace rankwise
{

namespace
{

// What epoll tells us about: a node's NIC, or one of these.
constexpr std::size_t signal_event = ~std::size_t{0}, control_event = signal_event - 1;
// Frames read from one NIC before others have their turn.
constexpr int frames_per_turn = 64;

Time now()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return Time{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

double cpu_seconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::optional<Time> earlier(std::optional<Time> one, std::optional<Time> other)
{
    return one && other ? std::min(one, other) : one ? one : other;
}

std::uint64_t seed_of(const Network &network)
{
    if (network.seed)
        return *network.seed;
    std::random_device entropy;
    return std::uint64_t{entropy()} << 32 | entropy();
}

} // namespace

Emulator::Emulator(const Network &network, const std::map<std::string, std::string> &namespaces)
    : network_(network), nics_(make_nics(network, namespaces)),
      switch_(network_, *this, seed_of(network)), ready_(epoll_create1(EPOLL_CLOEXEC)),
      wake_up_(network.spin)
{
    if (ready_.number() < 0)
        throw system_error("making an epoll");
    watch_signals();
    for (NodeIndex i = 0; i < nics_.size(); i++)
        watch(nics_[i].tap.descriptor(), i);
}

void Emulator::watch(int file, std::size_t what)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = what;
    if (epoll_ctl(ready_.number(), EPOLL_CTL_ADD, file, &event) != 0)
        throw system_error("watching a file with epoll");
}

void Emulator::watch_signals()
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, nullptr);
    signals_ = Descriptor(signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC));
    if (signals_.number() < 0)
        throw system_error("making a signalfd");
    watch(signals_.number(), signal_event);
}

void Emulator::listen(const std::string &control_path)
{
    control_.emplace(control_path, [this](const std::string &command) { return answer(command); });
    watch(control_->descriptor(), control_event);
}

std::vector<std::string> Emulator::warnings() const
{
    if (std::ranges::none_of(nics_, [](const Nic &nic) { return nic.tap.lacks_shaping(); }))
        return {};
    return {"this kernel has no tbf (CONFIG_NET_SCH_TBF), so nodes do not feel that their NIC is "
            "busy"};
}

void Emulator::run()
{
    counters_.realtime = enter_realtime(network_.realtime_priority);
    reset();
    do {
        switch_.run(now());
        resume_nics();
        idle_states_.permit(now());
    } while (wait_and_read());
}

bool Emulator::wait_and_read()
{
    const std::optional<Time> wake = earlier(wake_up_.plan(switch_.events()), idle_states_.until());
    const Time before = now();
    // 0: waits busily, but reads frames
    const Time left = wake ? std::max<Time>(0, *wake - before) : 0;
    const timespec sleep{left / 1'000'000'000, left % 1'000'000'000};
    std::array<epoll_event, 64> events{};
    const int count = epoll_pwait2(ready_.number(), events.data(), static_cast<int>(events.size()),
                                   wake ? &sleep : nullptr, nullptr);
    if (count < 0 && errno != EINTR)
        throw system_error("waiting with epoll_pwait2", "a kernel of at least 5.11");
    if (count == 0 && left > 0)
        wake_up_.woke(*wake, now());
    const bool slept = left > 0 || !wake;
    waking_took_ = slept ? std::min(wake_up_.least_late(), now() - before) : 0;
    const auto ready = static_cast<std::size_t>(std::max(0, count));
    for (const epoll_event &event : std::span(events).first(ready)) {
        if (event.data.u64 == signal_event)
            return false;
        if (event.data.u64 == control_event) {
            control_->handle();
            continue;
        }
        const auto node = static_cast<NodeIndex>(event.data.u64);
        if ((event.events & EPOLLERR) != 0) // which epoll tells even of one that is paused
            check_nic(node);
        read_frames(node);
    }
    return true;
}

void Emulator::check_nic(NodeIndex node) const
{
    if (nics_[node].tap.is_gone())
        throw host_error("node " + network_.nodes[node].name +
                             " has lost its NIC: something there deleted eth0",
                         "have jobs leave the nodes' network interfaces alone");
}

void Emulator::read_frames(NodeIndex node)
{
    for (int i = 0; i < frames_per_turn; i++) {
        if (must_pause(node, now()))
            return set_paused(node, true);
        Tap::Read read = nics_[node].tap.read();
        if (read.length == 0)
            return;
        idle_states_.avoid(now());
        std::optional<Frame> frame = Frame::parse(std::move(read.bytes), read.length);
        if (frame)
            switch_.accept(node, std::move(*frame), now() - waking_took_);
        else
            counters_.malformed_frames++;
    }
}

bool Emulator::must_pause(NodeIndex node, Time time) const
{
    const Nic &nic = nics_[node];
    return nic.waits && switch_.out_link(node).full(time, nic.largest_wire_bytes);
}

/// A paused NIC's frames stay in the TAP, so nothing is lost when a node, or we, were late for a
/// while.
void Emulator::set_paused(NodeIndex node, bool paused)
{
    epoll_event event{};
    event.events = paused ? 0U : std::uint32_t{EPOLLIN};
    event.data.u64 = node;
    if (epoll_ctl(ready_.number(), EPOLL_CTL_MOD, nics_[node].tap.descriptor(), &event) != 0)
        throw system_error("watching a NIC with epoll");
    nics_[node].paused = paused;
}

void Emulator::resume_nics()
{
    for (NodeIndex node = 0; node < nics_.size(); node++)
        if (nics_[node].paused && !must_pause(node, now()))
            set_paused(node, false);
}

void Emulator::deliver(const Packet &packet, Time due)
{
    counters_.lateness.add(now() - due);
    if (!nics_[packet.destination].tap.write(packet.frame.bytes()))
        counters_.undeliverable_frames++;
}

std::string Emulator::answer(const std::string &command)
{
    if (command == "counters")
        return counters_json(switch_, counters());
    if (command == "reset") {
        reset();
        return "ok";
    }
    if (command.starts_with("down "))
        return set_link(command.substr(5), false);
    if (command.starts_with("up "))
        return set_link(command.substr(3), true);
    return "error the commands are: counters, reset, down LINK, up LINK";
}

std::string Emulator::set_link(const std::string &name, bool up)
{
    Link *link = switch_.find_link(name);
    if (link == nullptr)
        return "error there is no link " + name;
    link->set_up(up);
    return "ok";
}

EmulatorCounters Emulator::counters() const
{
    EmulatorCounters copy = counters_;
    copy.deep_idle_avoided = idle_states_.avoided();
    copy.cpu_seconds = cpu_seconds() - cpu_seconds_before_;
    copy.wall_seconds = static_cast<double>(now() - began_) / 1e9;
    return copy;
}

void Emulator::reset()
{
    const bool realtime = counters_.realtime;
    counters_ = {};
    counters_.realtime = realtime;
    switch_.reset_counters();
    began_ = now();
    cpu_seconds_before_ = cpu_seconds();
}

} // namespace rankwise
