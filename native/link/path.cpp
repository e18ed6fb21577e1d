#include "path.h"

#include "link.h"
#include <algorithm>
#include <utility>

namespace rankwise
{

namespace
{

// A wake-up's usual lateness is below 1 % of that.
constexpr Time long_path = 2'000'000;

} // namespace

Path::Path(std::vector<Link *> links) : links_(std::move(links)), urgencies_(links_.size() + 1)
{
    Time ahead = 0;
    for (std::size_t hop = links_.size(); hop-- > 0;) {
        ahead += links_[hop]->least_delay();
        urgencies_[hop] = ahead >= long_way ? Urgency::patient : Urgency::exact;
    }
    urgencies_.back() = Urgency::exact;
    if (ahead < long_path)
        return;
    for (Urgency &urgency : urgencies_)
        if (urgency == Urgency::exact)
            urgency = Urgency::prompt;
}

std::size_t Path::length() const
{
    return links_.size();
}

Link &Path::link(std::size_t hop) const
{
    return *links_[hop];
}

bool Path::begins_like(const Path &other, std::size_t hops) const
{
    return hops <= links_.size() && hops <= other.links_.size() &&
           std::equal(links_.begin(), links_.begin() + static_cast<std::ptrdiff_t>(hops),
                      other.links_.begin());
}

Urgency Path::urgency(std::size_t hop) const
{
    return urgencies_[hop];
}

} // namespace rankwise
