// Newton's method for alpha-fair sharing, where relaxing one resource after another takes long.
#pragma once
#include "../network.h"
#include <cstdint>
#include <span>
#include <vector>

namespace rankwise::sim
{

/// Minimises the dual of alpha-fair sharing over the prices of some resources, those of the others
/// being held: projected Newton steps (Bertsekas, SIAM J. Control Optim. 20(2), 1982) found by
/// conjugate gradients with the Hessian's diagonal as preconditioner, and halved until the dual
/// falls.
class DualNewton
{
  public:
    /// A flow over at least one of the resources.
    struct Member {
        std::uint32_t flow;
        std::uint32_t count; // of `inside`
        std::array<std::uint32_t, kLongestRoute>
            inside;     // its resources, by their place in `resources`
        double outside; // the sum of the prices held
        double limit, weight;
        double rate, stiffness; // how fast the rate falls with the prices
    };

    /// `place` tells of each of the network's resources where it is in `resources`, or kNone.
    DualNewton(const Network &network, double alpha, std::span<const std::uint32_t> resources,
               std::span<const std::uint32_t> place);
    /// Stop when every load is within this share of its bound, or nothing is gained any more.
    void solve(double tolerance);

    const std::vector<double> &prices() const
    {
        return prices_;
    }
    const std::vector<double> &loads() const
    {
        return loads_;
    }
    const std::vector<Member> &members() const
    {
        return members_;
    }

  private:
    void collect(const Network &network, std::span<const std::uint32_t> resources,
                 std::span<const std::uint32_t> place);
    double prices_of(const Member &member, const std::vector<double> &prices) const;
    /// Set the members' rates and the loads; return the dual's value.
    double evaluate(const std::vector<double> &prices);
    double choose_free();
    void find_step(double residual);
    bool take_step(double &value);

    double alpha_, inverse_;
    std::vector<Member> members_;
    std::vector<double> bounds_, prices_, loads_;
    std::vector<char> may_have_price_, is_free_;
    std::vector<double> step_, residual_, direction_, scaled_, product_, diagonal_, trial_;
};

} // namespace rankwise::sim
