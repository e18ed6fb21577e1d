"""The summary has the geometric means of the verdicts, by size class, and a baseline that all share."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.compare.simulated import benchmarks, launch, run
from rankwise.analysis.compare import compare
from rankwise.analysis.compare.cells import Point
from rankwise.analysis.compare.summary import standings
from rankwise.analysis.compare.verdicts import size_class
from rankwise.core.records import Launch, Options
from rankwise.core.results import Verdict, VerdictWord
from rankwise.stats.summary import geometric_mean

KNOWN = benchmarks(pingpong="point-to-point", bcast="collective")


def steady(seconds: dict[str, dict[tuple[str, int], float]], rounds: int = 8) -> list[Launch]:
    """Launches with these times and a ripple of 0.2 %."""
    return [
        launch(name, {key: [value * (1 + 0.002 * np.sin(7 * k + len(name)))] for key, value in cells.items()}, k)
        for k in range(rounds)
        for name, cells in seconds.items()
    ]


def test_size_classes() -> None:
    assert [size_class(size) for size in (0, 1024, 1025, 65536, 65537)] == [
        "small", "small", "medium", "medium", "large",
    ]  # fmt: skip


def test_geometric_means_and_standings_by_hand() -> None:
    small, large, other = ("pingpong", 8), ("pingpong", 1 << 20), ("bcast", 8)
    found = compare(
        steady({"a": {small: 1, large: 1, other: 1}, "bb": {small: 2, large: 0.5, other: 1}, "ccc": {small: 4}}),
        KNOWN,
        "a",
    )
    rows = {(row.implementation, row.category, row.size_class): row for row in found.summary}
    assert rows["bb", "point-to-point", "small"].ratio == pytest.approx(2, rel=0.01)
    assert rows["bb", "point-to-point", "large"].ratio == pytest.approx(0.5, rel=0.01)
    assert rows["bb", "point-to-point", "all"].ratio == pytest.approx(1, rel=0.01)
    assert rows["bb", "point-to-point", "all"].cells == 2
    assert rows["a", "point-to-point", "all"].ratio == 1
    fastest = {key: row.fastest for key, row in rows.items() if row.fastest}
    assert fastest == {
        ("a", "point-to-point", "small"): 1,
        ("a", "point-to-point", "all"): 1,
        ("bb", "point-to-point", "large"): 1,
        ("bb", "point-to-point", "all"): 1,
    }
    assert ("ccc", "collective", "all") not in rows


def test_the_default_baseline_is_the_fastest_over_what_all_share() -> None:
    both, own = ("pingpong", 8), ("pingpong", 64)
    assert compare(steady({"a": {both: 2}, "b": {both: 1, own: 100}}), KNOWN).baseline == "b"
    assert compare(steady({"a": {both: 1}, "b": {own: 1, ("bcast", 8): 1}}), KNOWN).baseline == "b"
    assert compare(steady({"a": {both: 1}, "b": {both: 1}}, rounds=1), KNOWN).baseline in ("a", "b")


def test_rows_are_the_mean_of_the_verdicts_and_their_intervals_cover_it() -> None:
    generator = np.random.default_rng(2)
    covered = []
    for _ in range(40):
        launches = run(
            generator, ["a", "b"], ["pingpong"], 10, factor=lambda name, *_: 1.2 if name == "b" else 1.0
        )
        found = compare(launches, KNOWN, "a")
        (row,) = (row for row in found.summary if row.implementation == "b" and row.size_class == "all")
        assert row.ratio == pytest.approx(geometric_mean(np.array([v.ratio for v in found.verdicts])))
        covered.append(row.ratio_low <= 1.2 <= row.ratio_high)
    # 95 % of 40 is 38; were the cells of a launch taken as independent, hardly half would cover.
    assert sum(covered) >= 34


def verdict(baseline: str, candidate: str, word: VerdictWord) -> Verdict:
    return Verdict("bcast", 8, 2, baseline, candidate, 1.0, 1.0, 1.0, 1.0, word, 1.0, 1.0, (9, 9))


@pytest.mark.parametrize(
    ("ab", "ac", "bc", "fastest", "unbeaten"),
    [
        ("slower", "slower", "slower", "a", "a"),
        ("slower", "equivalent", "faster", "ac", "ac"),  # level with one, better than the other
        ("slower", "undecided", "undecided", "", "ac"),  # beats one, but nothing is shown of the other
        ("slower", "probably slower", "undecided", "", "ac"),  # probable is not shown
        ("undecided", "undecided", "undecided", "", "abc"),
        ("equivalent", "equivalent", "equivalent", "", "abc"),
    ],
)
def test_the_fastest_has_every_other_one_slower_or_equivalent(
    ab: VerdictWord, ac: VerdictWord, bc: VerdictWord, fastest: str, unbeaten: str
) -> None:
    point = Point("bcast", 2, Options(), "local", "block", 8)
    found = standings((point, verdict(*names, word)) for names, word in (("ab", ab), ("ac", ac), ("bc", bc)))
    assert "".join(sorted(name for name, one in found.items() if one.fastest)) == fastest
    assert "".join(sorted(name for name, one in found.items() if one.unbeaten)) == unbeaten
