#include "loss.h"

namespace rankwise
{

// In the chain's balance, good * enter = bad * (1 - stay) with bad = ratio, and a burst lasts 1 /
// (1 - stay).
Loss::Loss(double ratio, double burst, std::uint64_t seed)
    : random_(seed), enter_(ratio), stay_(ratio)
{
    if (burst > 1 && ratio > 0) {
        stay_ = 1 - 1 / burst;
        enter_ = ratio / (1 - ratio) / burst;
    }
}

bool Loss::next_is_lost()
{
    bad_ = uniform_(random_) < (bad_ ? stay_ : enter_);
    return bad_;
}

} // namespace rankwise
