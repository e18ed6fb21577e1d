// The links from one node to another.
#pragma once
#include "base/virtual_time.h"
#include <cstddef>
#include <vector>

namespace rankwise
{

class Link;

/// How exactly an event has to be handled in time. The times of packets do not depend on it (they
/// are virtual), but the moment at which a node gets a packet does.
enum class Urgency {
    /// What is still before the packet is long: soon is early enough.
    patient,
    /// The lateness of a usual wake-up is nothing beside the delay of the packet's path.
    prompt,
    /// It would be noticed: worth waiting busily.
    exact,
};

class Path
{
  public:
    /// Well above how late the emulator handles what is patient.
    static constexpr Time long_way = 200'000;

    explicit Path(std::vector<Link *> links);

    std::size_t length() const;
    Link &link(std::size_t hop) const;
    /// Tell whether the first `hops` links are the same.
    bool begins_like(const Path &other, std::size_t hops) const;
    /// Of reaching link `hop`, or the end.
    Urgency urgency(std::size_t hop) const;

  private:
    std::vector<Link *> links_;
    std::vector<Urgency> urgencies_;
};

} // namespace rankwise
