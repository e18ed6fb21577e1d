#include "jitter.h"

#include <cmath>

namespace rankwise
{

Jitter::Jitter(Time scale, JitterDistribution distribution, std::uint64_t seed)
    : scale_(static_cast<double>(scale)), distribution_(distribution), random_(seed)
{
}

Time Jitter::draw()
{
    double unit = 0;
    if (distribution_ == JitterDistribution::uniform)
        unit = uniform_(random_);
    else if (distribution_ == JitterDistribution::normal)
        unit = normal_(random_);
    else
        unit = exponential_(random_);
    return std::llround(scale_ * unit);
}

} // namespace rankwise
