"""A comparison finds true differences, claims false ones as seldom as it says, and depends on no order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.compare.simulated import SIZES, benchmarks, launch, run
from rankwise.analysis.compare import compare, sentences
from rankwise.core.errors import UnknownNameError
from rankwise.core.records import Cell, CellFailure, Launch, Segment

KNOWN = benchmarks(pingpong="point-to-point", bcast="collective", tcp="baseline")


def test_true_differences_are_found() -> None:
    def factor(name: str, benchmark: str, size: int) -> float:
        return {"fast": 0.7, "slow": 1.5}.get(name, 1.0) if benchmark == "pingpong" and size >= 1024 else 1.0

    launches = run(np.random.default_rng(0), ["base", "fast", "slow"], ["pingpong", "bcast"], 14, factor=factor)
    found = compare(launches, KNOWN, "base")
    assert len(found.verdicts) == 2 * 2 * len(SIZES)
    for verdict in found.verdicts:
        truth = factor(verdict.candidate, verdict.benchmark, verdict.size_bytes)
        assert verdict.verdict in ("faster" if truth < 1 else "slower" if truth > 1 else "equivalent", "undecided")
        assert truth == 1 or verdict.verdict != "undecided"


@pytest.mark.parametrize(
    ("drift", "launch_effect"),
    [
        pytest.param(0.1, 0.02, id="typical"),
        pytest.param(0.5, 0.005, id="drifting", marks=pytest.mark.nightly),
        pytest.param(0.0, 0.1, id="noisy", marks=pytest.mark.nightly),
    ],
)
def test_an_implementation_differs_from_itself_in_at_most_one_comparison_of_twenty(
    drift: float, launch_effect: float
) -> None:
    generator = np.random.default_rng(1)
    false_verdicts = false_claims = 0
    comparisons = 40
    for _ in range(comparisons):
        launches = run(
            generator, ["a", "b", "c"], ["pingpong", "bcast"], 20, sizes=(1, 1024, 1 << 20),
            launch_effect=launch_effect, drift=drift, stop_early=True,
        )  # fmt: skip
        found = compare(launches, KNOWN)
        false_verdicts += any(verdict.verdict in ("faster", "slower") for verdict in found.verdicts)
        false_claims += any("times the time" in sentence for sentence in sentences(found))
    assert false_verdicts <= comparisons / 20
    assert false_claims <= comparisons / 20


def test_of_what_is_called_faster_or_slower_for_certain_or_probably_the_promised_share_is_false() -> None:
    """Half of the benchmarks differ by less and more than the noise; 20 comparisons of 3 implementations."""
    generator = np.random.default_rng(6)
    certain, called = [], []
    names = [f"bench{number}" for number in range(6)]

    def factor(name: str, bench: str, _size: int) -> float:
        return {"near": 1.1, "far": 1.3}.get(name, 1.0) if bench < "bench3" else 1.0

    for _ in range(20):
        launches = run(
            generator, ["base", "near", "far"], names, 12, sizes=(1, 1024, 1 << 20), launch_effect=0.1,
            factor=factor,
        )  # fmt: skip
        found = compare(launches, benchmarks(**dict.fromkeys(names, "collective")), "base").verdicts
        for verdict in found:
            wrong = verdict.benchmark >= "bench3" or verdict.verdict.endswith("faster")
            if verdict.verdict in ("faster", "slower"):
                certain.append(wrong)
            if verdict.verdict.split()[-1] in ("faster", "slower"):
                called.append(wrong)
    assert len(called) > 1.1 * len(certain) > 100
    assert sum(certain) <= 3
    assert np.mean(called) < 0.05


def test_the_same_launches_in_any_order_give_the_same_comparison() -> None:
    launches = run(np.random.default_rng(3), ["a", "b"], ["pingpong"], 8)
    one, other = (
        compare(launches, KNOWN, "a", implementations=["a", "b"]),
        compare(launches[::-1], KNOWN, "a", implementations=["a", "b"]),
    )
    assert [(v.ratio, v.ratio_low, v.p_value) for v in one.verdicts] == [
        (v.ratio, v.ratio_low, v.p_value) for v in other.verdicts
    ]
    assert one.summary == other.summary
    assert one.curves == other.curves


def test_baselines_beside_mpi_have_curves_and_no_verdicts() -> None:
    found = compare(run(np.random.default_rng(3), ["a", "b"], ["tcp"], 8), KNOWN)
    assert len(found.curves) == 2
    assert (found.verdicts, found.summary, found.switch_points) == ((), (), ())


def test_implementations_keep_the_asked_order_and_those_that_failed() -> None:
    launches = [
        *run(np.random.default_rng(3), ["b", "a"], ["pingpong"], 2),
        Launch((Segment("c", 2),), "failed", "", (), 9, 1),
    ]
    found = compare(launches, KNOWN, implementations=["c", "a", "b"])
    assert found.implementations == ("c", "a", "b")
    assert {verdict.candidate for verdict in found.verdicts} < {"a", "b"}


def test_nothing_at_all() -> None:
    found = compare([], KNOWN)
    assert (found.baseline, found.verdicts, found.curves, found.notices) == ("", (), (), ())
    assert sentences(found) == ["Nothing was measured."]


def test_one_implementation_alone() -> None:
    found = compare(run(np.random.default_rng(3), ["a"], ["pingpong"], 8), KNOWN)
    assert (found.baseline, found.verdicts) == ("a", ())
    assert {row.ratio for row in found.summary} == {1.0}
    assert "two implementations" in sentences(found)[0]


@pytest.mark.parametrize("samples", [[1e-6], [0.0], [1e-6, 1e-6], [float("nan")]])
def test_one_launch_of_little(samples: list[float]) -> None:
    found = compare([launch(name, {("pingpong", 8): samples}) for name in ("a", "b")], KNOWN)
    assert all(verdict.verdict == "undecided" for verdict in found.verdicts)
    assert not any("times the time" in sentence for sentence in sentences(found))


def test_unknown_baseline() -> None:
    with pytest.raises(UnknownNameError, match="mpic"):
        compare(run(np.random.default_rng(3), ["mpich"], ["pingpong"], 2), KNOWN, "mpic")


def test_failures_are_listed_once_a_cell_and_wrong_data_bars_a_verdict() -> None:
    cell = Cell("b", "pingpong", 8, 2)
    failures = (CellFailure(cell, "slow network"), CellFailure(cell, "byte 3 is 7, not 8", "wrong data"))
    launches = [launch(name, {("pingpong", 8): [1.0]}, k) for k in range(8) for name in ("a", "b")]
    launches[3] = replace(launches[3], failures=failures)
    before = CellFailure(Cell("c", "bcast", 8, 2), "does not compile")
    found = compare(launches, KNOWN, failures=[before, before])
    assert found.failures == (before, failures[1])
    assert found.verdicts == ()


def placed(launches: list[Launch], placement: str) -> list[Launch]:
    return [
        replace(one, series=tuple(replace(s, cell=replace(s.cell, placement=placement)) for s in one.series))
        for one in launches
    ]


def test_each_placement_has_its_own_verdicts_curves_and_share_of_the_summary() -> None:
    def times(far: float) -> list[Launch]:
        return run(
            np.random.default_rng(5), ["a", "b"], ["pingpong"], 10, sizes=[4**k for k in range(12)],
            factor=lambda name, _benchmark, size: far if name == "b" and size >= 65536 else 1.0,
        )  # fmt: skip

    found = compare(placed(times(1.0), "block") + placed(times(2.0), "cyclic"), KNOWN, "a")
    slower = {v.placement for v in found.verdicts if v.verdict == "slower"}
    assert slower == {"cyclic"}
    assert [(c.implementation, c.placement) for c in found.curves] == [
        ("a", "block"), ("a", "cyclic"), ("b", "block"), ("b", "cyclic"),
    ]  # fmt: skip
    assert [(p.implementation, p.placement) for p in found.switch_points] == [("b", "cyclic")]
    assert any("on 2 ranks (placement cyclic) between" in sentence for sentence in sentences(found))
    (row,) = (row for row in found.summary if row.implementation == "b" and row.size_class == "large")
    assert row.cells == 2 * sum(size > 65536 for size in (4**k for k in range(12)))
    assert row.ratio == pytest.approx(2**0.5, rel=0.05)
