// A rank's requests that nothing in its trace has waited for so far.
#pragma once
#include "../program.h"
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankwise::sim
{

struct RequestKey {
    std::uint32_t source, destination;
    std::int32_t tag;
    bool operator==(const RequestKey &) const = default;
};

class OpenRequests
{
  public:
    /// Return the new request's place.
    std::uint32_t open(const RequestKey &key)
    {
        if (free_.empty())
            free_.push_back(used_++);
        const std::uint32_t request = free_.back();
        free_.pop_back();
        requests_.emplace_back(key, request);
        return request;
    }
    /// Return the place of the oldest request with this key, which may be used again;
    /// kMostRequests: there is none.
    std::uint32_t close(const RequestKey &key)
    {
        const auto found =
            std::ranges::find(requests_, key, &std::pair<RequestKey, std::uint32_t>::first);
        if (found == requests_.end())
            return kMostRequests;
        const std::uint32_t request = found->second;
        free_.push_back(request);
        requests_.erase(found);
        return request;
    }
    /// False: there is none.
    bool close_all()
    {
        const bool any = !requests_.empty();
        for (const auto &[key, request] : requests_)
            free_.push_back(request);
        requests_.clear();
        return any;
    }

  private:
    std::vector<std::pair<RequestKey, std::uint32_t>> requests_; // oldest first
    std::vector<std::uint32_t> free_;
    std::uint32_t used_ = 0;
};

} // namespace rankwise::sim
