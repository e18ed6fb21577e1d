#include "fifo_order.h"

#include <algorithm>

namespace rankwise
{

Time FifoOrder::earliest(Time now)
{
    std::erase_if(coming_, [&](const Coming &one) {
        if (one.here <= now)
            gone_ = std::max(gone_, one.gone);
        return one.here <= now;
    });
    return gone_;
}

void FifoOrder::add(Time here, Time gone)
{
    coming_.push_back({here, gone});
}

} // namespace rankwise
