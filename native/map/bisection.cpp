#include "bisection.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace rankwise::map
{

double cut_weight(const Graph &graph, const Halves &halves)
{
    double cut = 0;
    for (Index v = 0; v < graph.vertices(); v++)
        for (Index e = graph.begin[v]; e < graph.begin[v + 1]; e++)
            if (halves[v] < halves[graph.end[e]])
                cut += static_cast<double>(graph.weight[e]);
    return cut;
}

namespace
{

constexpr Index kCoarsest = 40;       // vertices, from which on halves are grown
constexpr Index kShare = 12;          // no coarse vertex has more than this part of all
constexpr int kGrown = 4;             // halves, of which the best is taken
constexpr int kPasses = 4;            // at each level
constexpr int kPassesCoarsest = 8;    // where they cost nothing
constexpr std::size_t kPatience = 60; // moves that bring nothing, after which a pass ends
constexpr int kCuts = 3;              // of which the best is taken

/// Moves vertices from half to half, always the one that gains most, and keeps the best it saw.
class Moving
{
  public:
    Moving(const Graph &graph, Halves &halves, Index target)
        : graph_(graph), halves_(halves), target_(target), room_(graph.largest()),
          slack_(room_ > 1 ? room_ / 2 : 0), gain_(halves.size(), 0),
          cut_(cut_weight(graph, halves))
    {
        for (Index v = 0; v < graph.vertices(); v++) {
            first_ += halves[v] == 0 ? graph.size[v] : 0;
            for (Index e = graph.begin[v]; e < graph.begin[v + 1]; e++)
                gain_[v] += halves[graph.end[e]] != halves[v] ? graph.weight[e] : -graph.weight[e];
        }
    }

    void run(int passes)
    {
        while (passes-- > 0 && pass())
            ;
    }

    double cut() const
    {
        return cut_;
    }
    /// By how many ranks the halves are wrong beyond what this level allows.
    Index excess() const
    {
        return std::max(std::abs(first_ - target_) - slack_, Index{0});
    }

  private:
    using Entry = std::pair<float, Index>; // gain and vertex

    bool pass()
    {
        done_.assign(halves_.size(), 0);
        for (auto &heap : heaps_)
            heap.clear();
        for (Index v = 0; v < graph_.vertices(); v++)
            if (graph_.locked[v] < 0 || graph_.locked[v] != halves_[v])
                heaps_[halves_[v]].push_back({gain_[v], v});
        for (auto &heap : heaps_)
            std::make_heap(heap.begin(), heap.end());
        std::vector<Index> moved;
        std::size_t best = 0;
        double best_cut = cut_;
        Index best_excess = excess();
        for (int from = next(); from >= 0; from = next()) {
            const Index vertex = heaps_[from].front().second;
            drop(from);
            done_[vertex] = 1;
            move(vertex);
            push_around(vertex);
            moved.push_back(vertex);
            const Index now = excess();
            if (now < best_excess ||
                (now == best_excess && cut_ < best_cut - 1e-6 * std::abs(best_cut))) {
                best_excess = now;
                best_cut = cut_;
                best = moved.size();
            } else if (best_excess == 0 && moved.size() - best > kPatience) {
                break;
            }
        }
        while (moved.size() > best) {
            move(moved.back());
            moved.pop_back();
        }
        return best > 0;
    }

    /// Return the half whose first vertex moves next, -1: none may.
    int next()
    {
        int best = -1;
        for (int from = 0; from < 2; from++) {
            auto &heap = heaps_[from];
            while (!heap.empty() && is_old(heap.front(), from))
                drop(from);
            if (heap.empty())
                continue;
            const auto [gain, vertex] = heap.front();
            const Index then = first_ + (from == 0 ? -graph_.size[vertex] : graph_.size[vertex]);
            const Index wrong = std::abs(first_ - target_), wrong_then = std::abs(then - target_);
            if (wrong_then > room_ && wrong_then >= wrong)
                continue;
            if (best < 0 || gain > heaps_[best].front().first || wrong > room_)
                best = from;
        }
        return best;
    }

    bool is_old(const Entry &entry, int from) const
    {
        const auto &[gain, vertex] = entry;
        return done_[vertex] || halves_[vertex] != from || gain < gain_[vertex] ||
               gain > gain_[vertex];
    }

    void drop(int from)
    {
        std::pop_heap(heaps_[from].begin(), heaps_[from].end());
        heaps_[from].pop_back();
    }

    void move(Index vertex)
    {
        first_ += halves_[vertex] == 0 ? -graph_.size[vertex] : graph_.size[vertex];
        cut_ -= static_cast<double>(gain_[vertex]);
        halves_[vertex] ^= 1;
        gain_[vertex] = -gain_[vertex];
        for (Index e = graph_.begin[vertex]; e < graph_.begin[vertex + 1]; e++) {
            const Index other = graph_.end[e];
            gain_[other] +=
                halves_[other] == halves_[vertex] ? -2 * graph_.weight[e] : 2 * graph_.weight[e];
        }
    }

    void push_around(Index vertex)
    {
        for (Index e = graph_.begin[vertex]; e < graph_.begin[vertex + 1]; e++) {
            const Index other = graph_.end[e];
            if (done_[other] || graph_.locked[other] == static_cast<int>(halves_[other]))
                continue;
            auto &heap = heaps_[halves_[other]];
            heap.push_back({gain_[other], other});
            std::push_heap(heap.begin(), heap.end());
        }
    }

    const Graph &graph_;
    Halves &halves_;
    Index target_, room_, slack_, first_ = 0;
    std::vector<float> gain_;
    double cut_;
    std::vector<Entry> heaps_[2];
    std::vector<std::uint8_t> done_;
};

/// The first half grows from a random vertex, by the one that sends most to it and least elsewhere.
Halves grown(const Graph &graph, Index target, Random &random)
{
    Halves halves(graph.size.size(), 1);
    std::vector<float> to(halves.size(), 0), all(halves.size(), 0);
    for (Index v = 0; v < graph.vertices(); v++)
        for (Index e = graph.begin[v]; e < graph.begin[v + 1]; e++)
            all[v] += graph.weight[e];
    Index first = 0;
    const auto take = [&](Index vertex) {
        halves[vertex] = 0;
        first += graph.size[vertex];
        for (Index e = graph.begin[vertex]; e < graph.begin[vertex + 1]; e++)
            to[graph.end[e]] += graph.weight[e];
    };
    for (Index v = 0; v < graph.vertices(); v++)
        if (graph.locked[v] == 0)
            take(v);
    Index vertex = first > 0 ? -1 : random.below(graph.vertices());
    while (first < target) {
        if (vertex < 0 || graph.locked[vertex] == 1) {
            float best = -std::numeric_limits<float>::infinity();
            vertex = -1;
            for (Index v = 0; v < graph.vertices(); v++) {
                if (halves[v] == 0 || graph.locked[v] == 1)
                    continue;
                const float score = to[v] > 0 ? 2 * to[v] - all[v] : -1e30f;
                if (vertex < 0 || score > best) {
                    best = score;
                    vertex = v;
                }
            }
        }
        if (vertex < 0 || first + graph.size[vertex] - target > target - first)
            break;
        take(vertex);
        vertex = -1;
    }
    return halves;
}

Halves coarsest(const Graph &graph, Index target, Random &random)
{
    Halves best;
    double best_cut = 0;
    Index best_excess = 0;
    for (int turn = 0; turn < kGrown; turn++) {
        Halves halves = grown(graph, target, random);
        Moving moving(graph, halves, target);
        moving.run(kPassesCoarsest);
        if (best.empty() || moving.excess() < best_excess ||
            (moving.excess() == best_excess && moving.cut() < best_cut)) {
            best_cut = moving.cut();
            best_excess = moving.excess();
            best = std::move(halves);
        }
    }
    return best;
}

Halves multilevel(const Graph &graph, Index target, Index most, Random &random)
{
    if (graph.vertices() <= kCoarsest)
        return coarsest(graph, target, random);
    const Coarser small = coarsened(graph, most, random);
    const bool shrinks = 20 * static_cast<std::int64_t>(small.graph.vertices()) <
                         19 * static_cast<std::int64_t>(graph.vertices());
    const Halves halves_small = shrinks ? multilevel(small.graph, target, most, random)
                                        : coarsest(small.graph, target, random);
    Halves halves(graph.size.size());
    for (Index v = 0; v < graph.vertices(); v++)
        halves[v] = halves_small[small.of[v]];
    Moving(graph, halves, target).run(kPasses);
    return halves;
}

/// Put ranks over, whatever that costs, until the first half has as many as it must.
void even_out(const Graph &graph, Halves &halves, Index target)
{
    Index first = 0;
    for (Index v = 0; v < graph.vertices(); v++)
        first += halves[v] == 0 ? graph.size[v] : 0;
    for (const bool locked_too : {false, true}) {
        for (Index v = 0; v < graph.vertices() && first != target; v++) {
            if ((halves[v] == 0) != (first > target) || (graph.locked[v] >= 0 && !locked_too))
                continue;
            first += halves[v] == 0 ? -graph.size[v] : graph.size[v];
            halves[v] ^= 1;
        }
    }
}

} // namespace

Halves bisect(const Graph &graph, Index target, Random &random)
{
    Halves best;
    double least = 0;
    for (int turn = 0; turn < kCuts; turn++) {
        Halves halves =
            multilevel(graph, target, std::max(Index{2}, graph.total() / kShare), random);
        even_out(graph, halves, target);
        const double cut = cut_weight(graph, halves);
        if (best.empty() || cut < least) {
            least = cut;
            best = std::move(halves);
        }
    }
    return best;
}

} // namespace rankwise::map
