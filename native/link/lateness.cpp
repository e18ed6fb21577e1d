#include "lateness.h"

#include <algorithm>
#include <bit>

namespace rankwise
{

namespace
{

// Below 16 ns a bucket is 2 ns wide; above, three bits after the leading one choose among eight of
// its octave.
std::size_t bucket_of(Time late)
{
    const auto value = static_cast<std::uint64_t>(std::max<Time>(late, 0));
    if (value < 16)
        return value / 2;
    const auto octave = static_cast<std::size_t>(std::bit_width(value)) - 4;
    return std::min(octave * 8 + ((value >> octave) & 7), Lateness::buckets - 1);
}

} // namespace

Time Lateness::upper_bound(std::size_t bucket)
{
    if (bucket < 8)
        return static_cast<Time>(bucket) * 2 + 2;
    return static_cast<Time>(8 + bucket % 8 + 1) << (bucket / 8);
}

void Lateness::add(Time late)
{
    counts_[bucket_of(late)]++;
    total_++;
    max_ = std::max(max_, late);
}

Time Lateness::quantile(double share) const
{
    const double wanted = share * static_cast<double>(total_);
    double seen = 0;
    for (std::size_t bucket = 0; bucket < buckets; bucket++) {
        seen += static_cast<double>(counts_[bucket]);
        if (seen > 0 && seen >= wanted)
            return std::min(upper_bound(bucket), max_);
    }
    return max_;
}

Time Lateness::max() const
{
    return max_;
}

std::uint64_t Lateness::count(std::size_t bucket) const
{
    return counts_[bucket];
}

} // namespace rankwise
