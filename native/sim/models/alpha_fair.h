// Weighted alpha-fair sharing (Mo and Walrand, IEEE/ACM Trans. Networking 8(5), 2000): the rates
// maximise the sum of w^alpha-weighted utilities w x^(1 - alpha) / (1 - alpha), or w log x, within
// all capacities.
#pragma once
#include "local_relaxation.h"

namespace rankwise::sim
{

/// A resource's price is its Lagrange multiplier; a flow's rate is (w / sum of its
/// prices)^(1/alpha), at most its limit.
class AlphaFair final : public LocalRelaxation
{
  public:
    AlphaFair(const ModelSettings &settings, Network &network);

  protected:
    std::uint32_t bottleneck(std::uint32_t flow) const override;
    double level(std::uint32_t flow) const override;
    void relax(std::uint32_t resource) override;
    void hurry() override;

  private:
    struct Sharer {
        double others; // the sum of the other prices
        double limit;
        double weight;
        double rate;
    };
    struct Load {
        double sum, slope; // and how fast it falls with the price
    };

    double rate_at(double prices, double weight, double limit) const;
    double power(double base) const; // to alpha
    Load load_at(double price);
    double next_price(double price, Load load, double bound, double low, double high) const;
    void find_price(Resource &resource);

    const double alpha_;
    const double inverse_;
    std::vector<Sharer> sharers_;
};

} // namespace rankwise::sim
