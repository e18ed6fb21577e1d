#include "path.h"

#include "link.h"
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

Urgency Path::urgency(std::size_t hop) const
{
    return urgencies_[hop];
}

} // namespace rankwise
