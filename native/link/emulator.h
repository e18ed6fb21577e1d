// The network in real time: NICs of nodes on one side, the switch in virtual time on the other.
#pragma once
#include "base/descriptor.h"
#include "base/network_file.h"
#include "control_socket.h"
#include "idle_states.h"
#include "nics.h"
#include "report.h"
#include "switch.h"
#include "wake_up.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankwise
{

class Emulator : private Receiver
{
  public:
    /// `namespaces`: of each node, by its name. Makes the NICs; they are gone when this object is.
    Emulator(const Network &network, const std::map<std::string, std::string> &namespaces);

    void listen(const std::string &control_path);
    /// What this machine lacks though it works without, a sentence each.
    std::vector<std::string> warnings() const;
    /// Switches frames until SIGTERM or SIGINT. Throws Error if a node's NIC is deleted.
    void run();

  private:
    void deliver(const Packet &packet, Time due) override;
    void watch(int file, std::size_t what);
    void watch_signals();
    /// Waits until frames, commands or the next event; false: a signal asks to end.
    bool wait_and_read();
    void check_nic(NodeIndex node) const;
    void read_frames(NodeIndex node);
    bool must_pause(NodeIndex node, Time time) const;
    void set_paused(NodeIndex node, bool paused);
    void resume_nics();
    std::string answer(const std::string &command);
    std::string set_link(const std::string &name, bool up);
    EmulatorCounters counters() const;
    void reset();

    const Network network_;
    std::vector<Nic> nics_;
    Switch switch_;
    EmulatorCounters counters_;
    std::optional<ControlSocket> control_;
    Descriptor ready_;
    Descriptor signals_;
    WakeUp wake_up_;
    IdleStates idle_states_;
    /// So much earlier than now the frames have come that ended the last sleep.
    Time waking_took_ = 0;
    Time began_ = 0;
    double cpu_seconds_before_ = 0;
};

} // namespace rankwise
