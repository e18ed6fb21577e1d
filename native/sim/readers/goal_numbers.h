// What GOAL's numbers mean here, as text and in binary.
#pragma once
#include "../program.h"
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rankwise::sim
{

/// GOAL's tags have 32 bits and -1 is any. Those from 2^30 on are given numbers below -1, so that
/// "any tag" means them too, which collective operations' tags are left out of.
class GoalTags
{
  public:
    std::int32_t number(std::int64_t tag)
    {
        if (tag < kCollectiveTags)
            return static_cast<std::int32_t>(tag);
        const auto [found, is_new] =
            numbers_.try_emplace(static_cast<std::uint32_t>(tag),
                                 kFirstLargeTag - static_cast<std::int32_t>(tags_.size()));
        if (is_new)
            tags_.push_back(static_cast<std::uint32_t>(tag));
        return found->second;
    }
    /// Tell the program what the numbers stand for.
    void finish(Program &program)
    {
        program.large_tags = std::move(tags_);
    }

  private:
    std::unordered_map<std::uint32_t, std::int32_t> numbers_;
    std::vector<std::uint32_t> tags_;
};

/// Whether a program names more than one processor or NIC of a rank.
struct OtherUnits {
    bool processors = false, nics = false;

    std::vector<ProgramNotice> notices() const
    {
        std::vector<ProgramNotice> said;
        if (processors)
            said.push_back({"one processor",
                            "operations on processors above 0 (cpu) are carried out by the one "
                            "processor that a rank has here, one after another",
                            "take the time for an upper bound"});
        if (nics)
            said.push_back({"one NIC",
                            "messages over NICs above 0 (nic) go over the one NIC that a rank has "
                            "here",
                            "take the time for an upper bound"});
        return said;
    }
};

} // namespace rankwise::sim
