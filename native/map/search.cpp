#include "search.h"

#include "bisection.h"
#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace rankwise::map
{

namespace
{

class Cutting
{
  public:
    Cutting(const Problem &problem, Random &random)
        : problem_(problem), random_(random), slot_of_(problem.now.size())
    {
    }

    std::vector<Index> run()
    {
        std::vector<Index> all(problem_.now.size());
        std::iota(all.begin(), all.end(), 0);
        cut(problem_.graph, all, 0, problem_.slots());
        return std::move(slot_of_);
    }

  private:
    /// Give the slots [from, to) to the vertices of a graph, which were those of the whole one.
    void cut(Graph graph, const std::vector<Index> &was, Index from, Index to)
    {
        const Index middle = boundary(from, to);
        if (middle == from) {
            for (const Index vertex : was)
                slot_of_[vertex] = from++;
            return;
        }
        for (std::size_t v = 0; v < was.size(); v++)
            graph.locked[v] = half_of(was[v], middle);
        const Halves halves = bisect(graph, middle - from, random_);
        for (const std::uint8_t which : {std::uint8_t{0}, std::uint8_t{1}}) {
            Part part = part_of(graph, halves, which);
            for (Index &vertex : part.was)
                vertex = was[vertex];
            cut(std::move(part.graph), part.was, which == 0 ? from : middle,
                which == 0 ? middle : to);
        }
    }

    /// Return where groups of the outermost level part, as near to the middle as can be; `from`:
    /// nowhere.
    Index boundary(Index from, Index to) const
    {
        for (int level = problem_.levels - 1; level >= 0; level--) {
            Index best = from;
            for (Index slot = from + 1; slot < to; slot++)
                if (problem_.groups[slot][level] != problem_.groups[slot - 1][level] &&
                    (best == from ||
                     std::abs(2 * slot - from - to) < std::abs(2 * best - from - to)))
                    best = slot;
            if (best != from)
                return best;
        }
        return from;
    }

    std::int8_t half_of(Index vertex, Index middle) const
    {
        if (!problem_.pinned[vertex])
            return -1;
        const auto [from, to] = problem_.range(problem_.now[vertex], problem_.pin_level);
        return static_cast<std::int8_t>(to <= middle ? 0 : from >= middle ? 1 : -1);
    }

    const Problem &problem_;
    Random &random_;
    std::vector<Index> slot_of_;
};

} // namespace

std::vector<Index> placed_by_cuts(const Problem &problem, Random &random)
{
    return Cutting(problem, random).run();
}

std::vector<Found> search(const Problem &problem, int rounds, Moment until)
{
    Random random(1);
    std::vector<Found> found;
    double least = 0;
    for (int round = 0; round < rounds; round++) {
        if (round > 0 && std::chrono::steady_clock::now() >= until)
            break;
        std::vector<Index> made = annealed(problem, placed_by_cuts(problem, random), random, until);
        const double price = cost(problem, made);
        if (round == 0)
            found.push_back({"cut", {}});
        if (round == 0 || price < least) {
            least = price;
            found[0].slot_of = std::move(made);
        }
    }
    // From far above it does not come down to the others in the same number of swaps.
    if (cost(problem, problem.now) < 1.2 * least)
        found.push_back({"now", annealed(problem, problem.now, random, until)});
    return found;
}

} // namespace rankwise::map
