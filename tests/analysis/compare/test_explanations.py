"""A difference is parted into the algorithm and the core that made it, with intervals that cover both."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.compare.simulated import benchmarks, launch
from rankwise.analysis.compare import compare
from rankwise.analysis.compare.sentences import sentences
from rankwise.core.records import Benchmark, Launch
from rankwise.core.results import Explanation, Factor

KNOWN: dict[str, Benchmark] = benchmarks(bcast="collective", allgather="collective") | {
    name: Benchmark(name, "schedule", name) for name in ("bcast.binomial", "bcast.chain", "allgather.ring")
}
BINOMIAL, CHAIN = 4e-6, 6e-6


def rounds(count: int, *, algorithm: float, core: float, noise: float = 0.0, seed: int = 1) -> list[Launch]:
    """`a` does bcast by a binomial tree; `b` by something so many times slower, on a core so many times slower."""
    random = np.random.default_rng(seed)
    found = []
    for k in range(count):
        for number, (name, speed, own) in enumerate((("a", 1.0, 1.0), ("b", core, algorithm))):
            slow = np.exp(random.normal(0, noise, 4))  # of this launch, then of each cell
            times = {
                ("bcast", 8): [BINOMIAL * speed * own * slow[0] * slow[1]],
                ("bcast.binomial", 8): [BINOMIAL * speed * slow[0] * slow[2]],
                ("bcast.chain", 8): [CHAIN * speed * slow[0] * slow[3]],
            }
            found.append(launch(name, times, started_at=2 * k + number))
    return found


def explained(launches: list[Launch], baseline: str = "a") -> Explanation:
    (one,) = compare(launches, KNOWN, baseline).explanations
    return one


def parts(one: Explanation) -> list[float]:
    return [factor.ratio for factor in (one.total, one.algorithm, one.core)]


@pytest.mark.parametrize(("algorithm", "core"), [(1.5, 1.2), (1.0, 2.0), (3.0, 1.0), (0.8, 1.25)])
def test_the_parts_are_those_that_were_made(algorithm: float, core: float) -> None:
    one = explained(rounds(6, algorithm=algorithm, core=core))
    assert parts(one) == pytest.approx([algorithm * core, algorithm, core])
    assert (one.operation, one.schedule, one.schedules) == ("bcast", "bcast.binomial", 2)
    assert (one.baseline_excess, one.candidate_excess) == pytest.approx((1.0, algorithm))
    assert one.core_least == pytest.approx(one.core_most)


def test_the_other_way_round_the_parts_are_inverted() -> None:
    launches = rounds(8, algorithm=1.5, core=1.2, noise=0.1)
    there, back = explained(launches), explained(launches, "b")
    assert parts(back) == pytest.approx([1 / one for one in parts(there)])
    assert back.core.low == pytest.approx(1 / there.core.high)


def test_the_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    truth = {"total": 1.8, "algorithm": 1.5, "core": 1.2}
    covered = dict.fromkeys(truth, 0)
    for seed in range(200):
        one = explained(rounds(9, algorithm=1.5, core=1.2, noise=0.15, seed=seed))
        for name, value in truth.items():
            factor: Factor = getattr(one, name)
            covered[name] += factor.low <= value <= factor.high
    assert all(count >= 180 for count in covered.values()), covered


def test_what_slows_a_launch_does_not_blur_the_algorithm() -> None:
    """Within a launch the operation and the schedule are slowed alike."""
    launches = []
    for k in range(8):
        for number, name in enumerate("ab"):
            slow = 1 + (7 * k + 3 * number) % 5
            times = {("bcast", 8): [3e-6 * slow * (1 + number)], ("bcast.chain", 8): [2e-6 * slow]}
            launches.append(launch(name, times, started_at=2 * k + number))
    one = explained(launches)
    assert (one.algorithm.low, one.algorithm.high) == pytest.approx((2.0, 2.0))
    assert one.core.high > 1.5


def test_what_cannot_be_parted_is_left_out() -> None:
    alone = [launch(name, {("allgather", 8): [1e-6]}, started_at=k) for k in range(12) for name in "ab"]
    assert compare(alone, KNOWN, "a").explanations == ()
    one_side = [
        launch(
            name,
            {("allgather", 8): [1e-6]} | ({("allgather.ring", 8): [1e-6]} if name == "a" else {}),
            started_at=k,
        )
        for k in range(12)
        for name in "ab"
    ]
    assert compare(one_side, KNOWN, "a").explanations == ()
    assert compare(rounds(3, algorithm=1.5, core=1.2), KNOWN, "a").explanations == ()


def test_the_largest_differences_are_said() -> None:
    said = compare(rounds(8, algorithm=1.5, core=1.2), KNOWN, "a")
    assert (
        "bcast of 8 B on 2 ranks: b takes 1.80 [1.80, 1.80] times as long as a: 1.50 [1.50, 1.50] from the "
        "algorithm, 1.20 [1.20, 1.20] from the point-to-point layer (bcast.binomial on both)."
    ) in sentences(said)
