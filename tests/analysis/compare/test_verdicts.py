"""A verdict follows from the launches both were in, and neither sides, units nor order change it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.compare.cells import CellData, Point
from rankwise.analysis.compare.summary import REVERSED
from rankwise.analysis.compare.verdicts import Pair, judge, pair_up
from rankwise.core.records import Cell, Options

POINT = Point("pingpong", 2, Options(), "local", "block", 8)


def pair(baseline: list[float], candidate: list[float]) -> Pair:
    left, right = np.array(baseline), np.array(candidate)
    return Pair(POINT, "a", "b", left, right, np.arange(left.size), np.arange(right.size))


def spread(centre: float, relative: float = 0.01, n: int = 10) -> list[float]:
    return list(centre * np.linspace(1 - relative, 1 + relative, n))


@pytest.mark.parametrize(
    ("candidate", "word"),
    [
        (spread(0.8), "faster"),
        (spread(1.2), "slower"),
        (spread(1.02), "equivalent"),  # real, but within 5 %
        (spread(1.03, relative=0.2), "undecided"),  # too noisy
        (spread(5.0, n=3), "undecided"),  # too few
        (spread(1.0, relative=0, n=3), "undecided"),
    ],
)
def test_the_four_words(candidate: list[float], word: str) -> None:
    (verdict,) = judge([pair(spread(1.0, relative=0.02), candidate)], delta=0.05, alpha=0.05)
    assert verdict.verdict == word
    assert verdict.ratio_low <= verdict.ratio <= verdict.ratio_high


def test_numbers_of_a_verdict() -> None:
    (verdict,) = judge([pair(spread(2.0), spread(3.0, n=12))], delta=0.05, alpha=0.05)
    assert verdict.ratio == pytest.approx(1.5)
    assert (verdict.baseline_seconds, verdict.candidate_seconds) == pytest.approx((2, 3))
    assert (verdict.baseline, verdict.candidate, verdict.launches) == ("a", "b", (10, 12))
    assert verdict.p_value == pytest.approx(2 / 646646)  # no overlap: 2 / C(22, 10)


def test_the_more_is_asked_the_more_it_takes() -> None:
    one = pair(spread(1.0, n=6), spread(2.0, n=6))  # p = 2 / C(12, 6) = 0.0022
    same = pair(spread(1.0, relative=0.5, n=6), spread(1.0, relative=0.5, n=6))
    assert judge([one] + [same] * 20, 0.05, 0.05)[0].verdict == "slower"
    assert judge([one] + [same] * 30, 0.05, 0.05)[0].verdict == "undecided"


def test_what_is_not_shown_for_certain_may_be_probable() -> None:
    """20 of 40 tests differ with p = 0.0022: Holm asks 0.00125 of the first, Benjamini-Hochberg 0.025 of all."""
    differ = pair(spread(1.0, n=6), spread(2.0, n=6))
    same = pair(spread(1.0, relative=0.5, n=6), spread(1.0, relative=0.5, n=6))
    points = (replace(POINT, benchmark=str(i)) for i in range(40))
    spread_out = [replace(one, point=point) for one, point in zip([differ, same] * 20, points, strict=True)]
    found = judge(spread_out, 0.05, 0.05)
    assert {one.verdict for one in found[::2]} == {"probably slower"}
    assert {one.verdict for one in found[1::2]} == {"undecided"}
    assert all(one.p_value > 0.05 > one.q_value for one in found[::2])


def test_the_visible_difference_shrinks_with_the_noise_and_grows_with_what_is_asked() -> None:
    calm = pair(spread(1.0, relative=0.05), spread(1.0, relative=0.05))
    rough = pair(spread(1.0, relative=0.2), spread(1.0, relative=0.2))
    (alone,), (noisy,) = judge([calm], 0.001, 0.05), judge([rough], 0.001, 0.05)
    assert 1 < alone.visible_ratio < noisy.visible_ratio < 2
    assert judge([calm] * 100, 0.001, 0.05)[0].visible_ratio > alone.visible_ratio
    assert judge([pair(spread(1.0, n=3), spread(1.0, n=3))], 0.05, 0.05)[0].visible_ratio == np.inf


def test_a_difference_as_large_as_is_called_visible_is_found_in_about_eight_of_ten_runs() -> None:
    generator = np.random.default_rng(8)

    def launches(centre: float) -> list[float]:
        return list(centre * np.exp(0.1 * generator.standard_normal(24)))

    (one,) = judge([pair(launches(1.0), launches(1.0))], 0.001, 0.05)
    found = [
        judge([pair(launches(1.0), launches(one.visible_ratio))], 0.001, 0.05)[0].verdict == "slower"
        for _ in range(200)
    ]
    assert 0.6 < np.mean(found) < 0.97


def test_identical_samples() -> None:
    (verdict,) = judge([pair([1.0] * 10, [1.0] * 10)], 0.05, 0.05)
    assert (verdict.verdict, verdict.ratio, verdict.p_value) == ("equivalent", 1.0, 1.0)
    (verdict,) = judge([pair([1.0] * 10, [2.0] * 10)], 0.05, 0.05)
    assert (verdict.verdict, verdict.ratio_low, verdict.ratio_high) == ("slower", 2.0, 2.0)


def test_no_pairs() -> None:
    assert judge([], 0.05, 0.05) == ()


launches = st.lists(st.floats(1e-6, 1e-5), min_size=1, max_size=12)


@given(st.lists(st.tuples(launches, launches), min_size=1, max_size=4), st.floats(1e-3, 1e3))
def test_swapping_sides_inverts_and_units_do_not_matter(
    sides: list[tuple[list[float], list[float]]], unit: float
) -> None:
    there = judge([pair(a, b) for a, b in sides], 0.05, 0.05)
    back = judge([pair(b, a) for a, b in sides], 0.05, 0.05)
    scaled = judge([pair([unit * x for x in a], [unit * x for x in b]) for a, b in sides], 0.05, 0.05)
    for one, other, same in zip(there, back, scaled, strict=True):
        assert REVERSED[one.verdict] == other.verdict
        assert (1 / one.ratio, 1 / one.ratio_high) == pytest.approx((other.ratio, other.ratio_low), nan_ok=True)
        assert one.p_value == pytest.approx(other.p_value)
        assert (one.ratio, one.ratio_low) == pytest.approx((same.ratio, same.ratio_low), nan_ok=True)


@given(st.permutations(spread(1.1)))
def test_the_order_of_launches_does_not_matter(candidate: list[float]) -> None:
    (shuffled,) = judge([pair(spread(1.0), candidate)], 0.05, 0.05)
    (sorted_,) = judge([pair(spread(1.0), sorted(candidate))], 0.05, 0.05)
    assert (shuffled.ratio, shuffled.ratio_low, shuffled.p_value) == (
        sorted_.ratio,
        sorted_.ratio_low,
        sorted_.p_value,
    )


def data(implementation: str, rounds: list[int]) -> CellData:
    return CellData(
        cell=Cell(implementation, "pingpong", 8, 2),
        category="point-to-point",
        quantity="time",
        medians=np.array(rounds, dtype=np.float64),
        rounds=np.array(rounds),
        quantiles=np.zeros(101),
        samples=len(rounds),
        bytes_per_sample=8,
        batch=1,
        discarded=0,
    )


def test_only_rounds_that_both_were_in_are_compared() -> None:
    found = pair_up(POINT, data("a", [0, 1, 2, 3]), data("b", [2, 3, 5, 6, 7]))
    assert found is not None
    assert (found.baseline_medians.tolist(), found.candidate_medians.tolist()) == ([2, 3], [2, 3])
    assert pair_up(POINT, data("a", [0, 1]), replace(data("b", [4, 5]))) is None
