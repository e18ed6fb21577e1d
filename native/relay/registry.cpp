#include "registry.h"

#include "poller.h"
#include <algorithm>
#include <iterator>
#include <utility>

namespace rankwise::relay
{

void Registry::add(Target target, const sockaddr_in &at)
{
    places_[target] = at;
    const auto rest = std::stable_partition(
        waiting_.begin(), waiting_.end(), [&](const Waiting &one) { return one.target != target; });
    std::vector<Waiting> ready(std::make_move_iterator(rest),
                               std::make_move_iterator(waiting_.end()));
    waiting_.erase(rest, waiting_.end());
    for (const Waiting &one : ready)
        one.found(at);
}

void Registry::ask(Target target, Found found)
{
    const auto place = places_.find(target);
    if (place != places_.end())
        found(place->second);
    else
        waiting_.push_back({target, now() + patience_, std::move(found)});
}

void Registry::turn()
{
    const double time = now();
    const auto rest = std::stable_partition(
        waiting_.begin(), waiting_.end(), [&](const Waiting &one) { return one.deadline > time; });
    std::vector<Waiting> late(std::make_move_iterator(rest),
                              std::make_move_iterator(waiting_.end()));
    waiting_.erase(rest, waiting_.end());
    for (const Waiting &one : late)
        one.found(std::nullopt);
}

} // namespace rankwise::relay
