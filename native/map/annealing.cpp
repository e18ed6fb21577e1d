#include "annealing.h"

#include <algorithm>
#include <cmath>

namespace rankwise::map
{

namespace
{

constexpr std::int64_t kTriesOfEach = 400; // vertex
constexpr std::int64_t kLeastTries = 10'000;
constexpr std::int64_t kMostWork = 2'000'000'000; // edges that are looked at
constexpr int kStages = 200;                      // at a temperature each
constexpr int kColdStages = 20;                   // the last ones, which take no loss
constexpr float kHot = 0.2F, kCold = 0.01F; // times the mean weight and the largest step: by trials
constexpr std::uint32_t kLogarithms = 4096;

class Annealing
{
  public:
    Annealing(const Problem &problem, std::vector<Index> slot_of, Random &random)
        : problem_(problem), graph_(problem.graph), random_(random), slot_of_(std::move(slot_of)),
          vertex_at_(slot_of_.size()), groups_(slot_of_.size()), cost_(cost(problem, slot_of_)),
          least_(cost_), best_(slot_of_)
    {
        for (Index v = 0; v < graph_.vertices(); v++) {
            vertex_at_[slot_of_[v]] = v;
            groups_[v] = problem.groups[slot_of_[v]];
            if (graph_.begin[v] < graph_.begin[v + 1] && !problem.pinned[v])
                movable_.push_back(v);
        }
        for (int level = 0; level < problem.levels; level++) {
            ranges_[level].resize(slot_of_.size());
            for (Index slot = 0; slot < problem.slots();) {
                const auto range = problem.range(slot, level);
                for (; slot < range.second; slot++)
                    ranges_[level][slot] = range;
            }
        }
        for (std::uint32_t i = 0; i < kLogarithms; i++)
            logarithm_[i] =
                -std::log((static_cast<float>(i) + 0.5F) / static_cast<float>(kLogarithms));
    }

    std::vector<Index> run(Moment until)
    {
        if (movable_.empty())
            return best_;
        const auto edges = static_cast<std::int64_t>(graph_.end.size());
        const std::int64_t at_each = 2 * edges / static_cast<std::int64_t>(movable_.size()) + 1;
        const std::int64_t tries =
            std::min(std::max(kLeastTries, kTriesOfEach * graph_.vertices()), kMostWork / at_each);
        const float mean =
            mean_weight() * *std::max_element(problem_.step.begin(), problem_.step.end());
        const float cooling = std::pow(kCold / kHot, 1 / static_cast<float>(kStages - kColdStages));
        float temperature = kHot * mean;
        for (int stage = 0; stage < kStages && std::chrono::steady_clock::now() < until; stage++) {
            for (std::int64_t i = 0; i < tries / kStages; i++)
                attempt(stage < kStages - kColdStages ? temperature : 0);
            temperature *= cooling;
            if (cost_ < least_) {
                least_ = cost_;
                best_ = slot_of_;
            }
        }
        return best_;
    }

  private:
    float mean_weight() const
    {
        double sum = 0;
        for (const float weight : graph_.weight)
            sum += static_cast<double>(weight);
        return static_cast<float>(sum / static_cast<double>(graph_.weight.size()));
    }

    /// Bring a vertex near one that it sends to: into its group of any level.
    void attempt(float temperature)
    {
        const Index one = movable_[random_.below(static_cast<Index>(movable_.size()))];
        const Index begin = graph_.begin[one];
        const Index near = graph_.end[begin + random_.below(graph_.begin[one + 1] - begin)];
        const int level = random_.below(problem_.levels);
        const auto [from, to] = ranges_[level][slot_of_[near]];
        const Index other = vertex_at_[from + random_.below(to - from)];
        if (groups_[one][0] == groups_[other][0] || problem_.pinned[other])
            return;
        const float loss = change(one, other) + change(other, one);
        if (loss > 0 && loss >= temperature * logarithm_[random_.next() % kLogarithms])
            return;
        cost_ += static_cast<double>(loss);
        std::swap(slot_of_[one], slot_of_[other]);
        std::swap(groups_[one], groups_[other]);
        vertex_at_[slot_of_[one]] = one;
        vertex_at_[slot_of_[other]] = other;
    }

    /// Return how much more a vertex costs in the other's place; the two stay as far apart as they
    /// are.
    float change(Index vertex, Index other) const
    {
        const Groups &here = groups_[vertex], &there = groups_[other];
        float sum = 0;
        for (Index e = graph_.begin[vertex]; e < graph_.begin[vertex + 1]; e++) {
            const Index near = graph_.end[e];
            const Groups &of = groups_[near];
            float farther = 0;
            for (int level = 0; level < kMostLevels; level++)
                farther += problem_.step[level] * static_cast<float>((of[level] != there[level]) -
                                                                     (of[level] != here[level]));
            sum += near == other ? 0 : graph_.weight[e] * farther;
        }
        return sum;
    }

    const Problem &problem_;
    const Graph &graph_;
    Random &random_;
    std::vector<Index> slot_of_, vertex_at_, movable_;
    std::vector<Groups> groups_; // of each vertex, where it is
    std::array<std::vector<std::pair<Index, Index>>, kMostLevels> ranges_; // of each slot
    std::array<float, kLogarithms> logarithm_;
    double cost_, least_;
    std::vector<Index> best_;
};

} // namespace

std::vector<Index> annealed(const Problem &problem, std::vector<Index> slot_of, Random &random,
                            Moment until)
{
    return Annealing(problem, std::move(slot_of), random).run(until);
}

} // namespace rankwise::map
