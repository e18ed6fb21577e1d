#include "problem.h"

#include "base/error.h"
#include <algorithm>
#include <cmath>
#include <fstream>

namespace rankwise::map
{

std::pair<Index, Index> Problem::range(Index slot, int level) const
{
    const Index group = groups[slot][level];
    Index from = slot, to = slot + 1;
    while (from > 0 && groups[from - 1][level] == group)
        from--;
    while (to < slots() && groups[to][level] == group)
        to++;
    return {from, to};
}

double cost(const Problem &problem, const std::vector<Index> &slot_of)
{
    const Graph &graph = problem.graph;
    double sum = 0;
    for (Index v = 0; v < graph.vertices(); v++) {
        const Groups &here = problem.groups[slot_of[v]];
        for (Index e = graph.begin[v]; e < graph.begin[v + 1]; e++) {
            const Groups &there = problem.groups[slot_of[graph.end[e]]];
            for (int level = 0; level < problem.levels; level++)
                if (here[level] != there[level])
                    sum += static_cast<double>(graph.weight[e]) *
                           static_cast<double>(problem.step[level]);
        }
    }
    return sum / 2;
}

namespace
{

constexpr std::int64_t kFormat = 1, kMostSlots = 1 << 24, kMostEntries = 1 << 30;

class Reader
{
  public:
    explicit Reader(const std::string &name) : name_(name), file_(name, std::ios::binary)
    {
        if (!file_)
            fail("cannot be read");
    }

    template <class T> std::vector<T> array(std::size_t count)
    {
        std::vector<T> values(count);
        file_.read(reinterpret_cast<char *>(values.data()),
                   static_cast<std::streamsize>(count * sizeof(T)));
        if (!file_)
            fail("ends too early");
        return values;
    }

    void check(bool holds, const char *what) const
    {
        if (!holds)
            fail(what);
    }

  private:
    [[noreturn]] void fail(const std::string &what) const
    {
        throw input_error(name_ + ": " + what, "rankwise map writes such files");
    }

    std::string name_;
    std::ifstream file_;
};

void read_graph(Reader &reader, std::size_t slots, std::size_t entries, Graph &graph)
{
    graph.begin = reader.array<Index>(slots + 1);
    graph.end = reader.array<Index>(entries);
    graph.weight = reader.array<float>(entries);
    graph.size.assign(slots, 1);
    graph.locked.assign(slots, -1);
    reader.check(graph.begin.front() == 0 &&
                     static_cast<std::size_t>(graph.begin.back()) == entries &&
                     std::is_sorted(graph.begin.begin(), graph.begin.end()),
                 "the rows of the graph do not follow one another");
    for (const Index end : graph.end)
        reader.check(end >= 0 && end < graph.vertices(), "an edge leads to no rank");
    for (const float weight : graph.weight)
        reader.check(weight > 0 && std::isfinite(weight), "a weight is no positive number");
}

void read_machine(Reader &reader, std::size_t slots, Problem &problem)
{
    problem.groups.resize(slots);
    for (int level = 0; level < problem.levels; level++) {
        const std::vector<Index> of = reader.array<Index>(slots);
        for (std::size_t slot = 0; slot < slots; slot++)
            problem.groups[slot][level] = of[slot];
        for (std::size_t slot = 1; slot < slots; slot++) {
            const bool same = of[slot] == of[slot - 1];
            reader.check(same || of[slot] == of[slot - 1] + 1, "groups are not numbered in order");
            reader.check(same || level == 0 ||
                             problem.groups[slot][level - 1] != problem.groups[slot - 1][level - 1],
                         "groups are not nested");
        }
    }
    const std::vector<float> steps = reader.array<float>(static_cast<std::size_t>(problem.levels));
    for (int level = 0; level < problem.levels; level++) {
        problem.step[level] = steps[level];
        reader.check(steps[level] >= 0 && std::isfinite(steps[level]), "a distance is negative");
    }
}

} // namespace

Problem read_problem(const std::string &file)
{
    Reader reader(file);
    const std::vector<std::int64_t> head = reader.array<std::int64_t>(5);
    reader.check(head[0] == kFormat && head[1] >= 1 && head[1] <= kMostSlots && head[2] >= 0 &&
                     head[2] <= kMostEntries && head[3] >= 1 && head[3] <= kMostLevels &&
                     head[4] >= 0 && head[4] < head[3],
                 "is no problem of this version");
    const auto slots = static_cast<std::size_t>(head[1]);
    Problem problem;
    problem.levels = static_cast<int>(head[3]);
    problem.pin_level = static_cast<int>(head[4]);
    read_graph(reader, slots, static_cast<std::size_t>(head[2]), problem.graph);
    read_machine(reader, slots, problem);
    problem.now = reader.array<Index>(slots);
    problem.pinned = reader.array<std::uint8_t>(slots);
    std::vector<std::uint8_t> taken(slots, 0);
    for (const Index slot : problem.now) {
        reader.check(slot >= 0 && slot < problem.slots() && !taken[slot], "a slot has two ranks");
        taken[slot] = 1;
    }
    return problem;
}

} // namespace rankwise::map
