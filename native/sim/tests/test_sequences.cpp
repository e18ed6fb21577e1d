// Each rank's operations stay what they were and in their order, in whatever order ranks are met.
#include "base/tests/check.h"
#include "sequences.h"
#include <random>
#include <utility>
#include <vector>

using namespace rankwise::sim;

using rankwise::test::failures;

namespace
{

/// A number that tells operations apart.
Operation numbered(std::size_t number)
{
    return Operation::compute(static_cast<Time>(number));
}

struct Twin {
    explicit Twin(std::size_t ranks) : made(ranks), expected(ranks)
    {
    }
    void append(std::size_t rank)
    {
        made.append(rank, numbered(count));
        expected[rank].push_back(static_cast<Time>(count++));
    }
    bool is_alike() const
    {
        bool alike = made.size() == expected.size();
        for (std::size_t rank = 0; rank < expected.size(); rank++) {
            const auto &own = expected[rank];
            alike = alike && made[rank].size() == own.size();
            for (std::size_t i = 0; alike && i < own.size(); i++)
                alike = made[rank][i].duration() == own[i];
        }
        return alike;
    }

    Sequences made;
    std::vector<std::vector<Time>> expected;
    std::size_t count = 0;
};

void one_after_another()
{
    Twin twin(40);
    for (std::size_t rank = 0; rank < 40; rank++)
        for (std::size_t i = 0; i < 1000 * (rank % 7); i++)
            twin.append(rank);
    CHECK(twin.is_alike());
}

void in_turns()
{
    Twin twin(50);
    for (int round = 0; round < 300; round++)
        for (std::size_t rank = 0; rank < 50; rank++)
            twin.append(rank);
    CHECK(twin.is_alike());
}

void in_any_order()
{
    for (std::uint64_t seed = 1; seed <= 20; seed++) {
        std::mt19937_64 random(seed);
        Twin twin(8);
        for (int part = 0; part < 200; part++) {
            const std::size_t rank = random() % twin.expected.size();
            if (random() % 4 == 0)
                twin.made.reserve(rank, twin.expected[rank].size() + random() % 50);
            for (std::size_t left = random() % 200; left > 0; left--)
                twin.append(rank);
            if (random() % 20 == 0) {
                twin.made.resize(twin.made.size() + 3);
                twin.expected.resize(twin.expected.size() + 3);
            }
        }
        CHECK(twin.is_alike());
        const Twin moved = std::move(twin);
        CHECK(moved.is_alike());
    }
}

} // namespace

int main()
{
    one_after_another();
    in_turns();
    in_any_order();
    return rankwise::test::conclude();
}
