"""Our statistics are those of scipy and statsmodels, or of a search that tries everything."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats
from statsmodels.stats.multitest import multipletests

from rankwise.core.records import FloatArray
from rankwise.stats.intervals import ratio_intervals
from rankwise.stats.paired import difference_interval, sign_flip_p_values
from rankwise.stats.segments import MAX_BREAKS, MIN_POINTS, PENALTY, RESIDUAL_FLOOR, find_breaks
from rankwise.stats.tests import holm, mann_whitney

seeds = st.integers(0, 2**32 - 1)


p_lists = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1))


@given(p_lists)
@pytest.mark.nightly
def test_holms_correction_is_statsmodels(values: FloatArray) -> None:
    assert holm(values) == pytest.approx(multipletests(values, method="holm")[1], abs=1e-12)


@given(seeds, st.integers(2, 8), st.integers(2, 8))
def test_the_rank_test_is_exact_for_any_numbers_of_launches(seed: int, n: int, m: int) -> None:
    """Every way to deal n + m ranks to two sides is counted: U as far from its middle as the observed one."""
    generator = np.random.default_rng(seed)
    ranks = generator.permutation(n + m)
    left, right = ranks[:n], ranks[n:]

    def distance(chosen: tuple[int, ...]) -> float:
        return abs(sum(chosen) - n * (n - 1) / 2 - n * m / 2)

    observed = distance(tuple(int(one) for one in left))
    ways = [distance(one) for one in itertools.combinations(range(n + m), n)]
    expected = np.mean(np.array(ways) >= observed - 1e-9)
    found = mann_whitney(left[None].astype(np.float64), right[None].astype(np.float64))[0]
    assert found == pytest.approx(float(expected))


@given(seeds, st.integers(3, 9))
def test_one_row_of_differences_is_a_sign_flip_test(seed: int, launches: int) -> None:
    """Without values far off (which ours counts less), by every way to swap the two sides."""
    generator = np.random.default_rng(seed)
    row = generator.choice((-1.0, 1.0), launches) * generator.uniform(1.0, 1.9, launches)
    flips = np.array(list(itertools.product((1.0, -1.0), repeat=launches)))
    expected = np.mean(flips @ row >= row.sum() - 1e-9)
    assert sign_flip_p_values(row[None])[0] == pytest.approx(float(expected))


@given(seeds, st.integers(6, 12))
def test_the_interval_of_differences_is_what_wilcoxons_test_does_not_refuse(seed: int, launches: int) -> None:
    row = np.random.default_rng(seed).standard_normal(launches)
    low, high = difference_interval(row)
    width = high - low
    for centre, refused in (
        (low - 1e-6 * width, True), (low + 1e-6 * width, False), (high - 1e-6 * width, False),
        (high + 1e-6 * width, True),
    ):  # fmt: skip
        p_value = stats.wilcoxon(row - centre, method="exact").pvalue
        assert (p_value <= 0.05) == refused, (centre, p_value)


@pytest.mark.parametrize(("n", "m"), [(6, 6), (9, 14), (20, 7)])
def test_ratio_intervals_are_those_of_a_plain_bootstrap(n: int, m: int) -> None:
    """40,000 resamples of each side: the ends lie within a few of the ranks that the resamples leave open."""
    generator = np.random.default_rng(n * m)
    for _ in range(5):
        baseline = np.exp(0.1 * generator.standard_normal(n))
        candidate = 1.2 * np.exp(0.2 * generator.standard_normal(m))
        low, high = (float(end[0]) for end in ratio_intervals(baseline[None], candidate[None]))
        drawn = [np.median(generator.choice(side, (40_000, side.size)), axis=1) for side in (candidate, baseline)]
        ratios = drawn[0] / drawn[1]
        # of even numbers ours takes a launch's value where the plain median lies between two
        slack = 0.012 if n % 2 and m % 2 else 0.02
        for end, wanted in ((low, 0.025), (high, 0.975)):
            below, up_to = np.mean(ratios < end - 1e-12), np.mean(ratios <= end + 1e-12)
            assert below - slack <= wanted <= up_to + slack, (end, below, up_to)


def exhaustive_breaks(sizes: FloatArray, seconds: FloatArray) -> tuple[int, ...]:
    """Where the best segments begin, by trying all: least squares of numpy, the criterion as documented."""
    n = sizes.size

    def misfit(first: int, last: int) -> float:
        weights = 1 / seconds[first:last]
        columns = np.stack([np.ones(last - first), sizes[first:last] / sizes[-1]], axis=1)
        law, *_ = np.linalg.lstsq(columns * weights[:, None], np.ones(last - first), rcond=None)
        if law[1] < 0:  # no message gets faster by growing: the best constant
            law = np.array([np.sum(weights) / np.sum(weights**2), 0.0])
        return float(np.sum((columns @ law * weights - 1) ** 2))

    best: tuple[float, tuple[int, ...]] = (np.inf, ())
    for count in range(MAX_BREAKS + 1):
        for places in itertools.combinations(range(MIN_POINTS, n - MIN_POINTS + 1), count):
            edges = (0, *places, n)
            if all(after - before >= MIN_POINTS for before, after in itertools.pairwise(edges)):
                total = sum(misfit(first, last) for first, last in itertools.pairwise(edges))
                cost = n * np.log(max(total / n, RESIDUAL_FLOOR**2)) + PENALTY * 3 * count * np.log(n)
                best = min(best, (float(cost), places))
    return best[1]


@given(seeds, st.integers(6, 13), st.lists(st.tuples(st.integers(2, 11), st.floats(0.4, 3)), max_size=2))
def test_breaks_are_those_of_an_exhaustive_search(seed: int, n: int, jumps: list[tuple[int, float]]) -> None:
    generator = np.random.default_rng(seed)
    sizes = 4.0 ** np.arange(n)
    seconds = (1e-6 + 1e-9 * sizes) * np.exp(0.03 * generator.standard_normal(n))
    for place, factor in jumps:
        seconds[place:] *= factor
    found = tuple(int(np.searchsorted(sizes, one.at)) for one in find_breaks(sizes, seconds))
    assert found == exhaustive_breaks(sizes, seconds)
