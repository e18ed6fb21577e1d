"""Each doubt about a run has one notice with its remedy, and a good run has none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.compare.simulated import benchmarks, launch
from rankwise.analysis.compare import compare
from rankwise.core.records import Cell, CellFailure, Launch, Notice

KNOWN = benchmarks(pingpong="point-to-point", bcast="collective", empty="harness")


def quiet(rounds: int = 12, seconds: float = 1e-5, benchmark: str = "pingpong") -> list[Launch]:
    return [
        launch(
            name, {(benchmark, 8): [seconds * (1 + 1e-4 * ((3 * k) % 7))] * 5}, k, timer_resolution_seconds=1e-9
        )
        for k in range(rounds)
        for name in ("a", "b")
    ]


def notices(launches: list[Launch]) -> dict[str, Notice]:
    return {notice.kind: notice for notice in compare(launches, KNOWN, "a").notices}


def test_a_good_run_needs_no_warning() -> None:
    assert notices(quiet()) == {}


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("noisy-host", {"steal_fraction": 0.05}),
        ("noisy-host", {"load": 8.0}),
        ("oversubscribed", {"oversubscribed": True, "yielding": "sched_yield"}),
        ("timer-coarse", {"timer_resolution_seconds": 1e-6}),
    ],
)
def test_what_launches_tell(kind: str, change: dict[str, object]) -> None:
    found = notices([replace(one, **change) for one in quiet()])  # type: ignore[arg-type]
    assert list(found) == [kind]
    assert found[kind].remedy


def test_batches_lift_samples_above_the_timer() -> None:
    coarse = [replace(one, timer_resolution_seconds=1e-6) for one in quiet()]
    batched = [replace(one, series=tuple(replace(s, batch=100) for s in one.series)) for one in coarse]
    assert notices(batched) == {}
    assert notices([replace(one, timer_resolution_seconds=1e-6) for one in quiet(benchmark="empty")]) == {}


def test_clocks_matter_to_collectives_only() -> None:
    assert notices([replace(one, clock_error_seconds=1e-6) for one in quiet()]) == {}
    found = notices([replace(one, clock_error_seconds=1e-6) for one in quiet(benchmark="bcast")])
    assert list(found) == ["unsynchronised"]


def test_too_few_launches_says_how_many_are_enough() -> None:
    # One question: 2 / C(6, 3) = 0.1 is not below 0.05, 2 / C(8, 4) = 0.029 is.
    assert "too-few-launches" not in notices(quiet(4))
    found = notices(quiet(3))
    assert "1 of 1 verdicts" in found["too-few-launches"].message
    assert found["too-few-launches"].remedy.startswith("4 launches")


def test_not_precise() -> None:
    noisy = [
        launch(name, {("pingpong", 8): [1e-5 * (1 + 0.1 * ((3 * k) % 7))]}, k)
        for k in range(12)
        for name in ("a", "b")
    ]
    assert "2 of 2 medians (100%)" in notices(noisy)["not-precise"].message


def test_an_outlying_launch() -> None:
    launches = quiet()
    launches[4] = launch("a", {("pingpong", 8): [1e-3]}, launches[4].started_at)
    assert "1 of 2 cells" in notices(launches)["noisy-host"].message


def test_late_starts() -> None:
    launches = [replace(one, series=tuple(replace(s, discarded=5) for s in one.series)) for one in quiet()]
    assert "2 cells" in notices(launches)["late-starts"].message


def test_failures() -> None:
    failures = (
        CellFailure(Cell("a", "bcast", 8, 2), "timed out"),
        CellFailure(Cell("b", "bcast", 8, 2), "byte 0 is wrong", "wrong data"),
        CellFailure(Cell("b", "bcast", 64, 2), "no MPI-3", "unsupported"),
    )
    found = notices([replace(one, failures=failures) for one in quiet()])
    assert "1 cell of b" in found["wrong-data"].message
    assert "byte 0 is wrong" in found["wrong-data"].message
    assert "1 cell failed in at least one launch (1 of a)" in found["failed-cells"].message


def test_the_launches_own_notices_are_merged() -> None:
    hung = Notice("hung-finalize", "MPI_Finalize hung", "update MPICH")
    launches = quiet()
    launches[:3] = [replace(one, notices=(hung, hung)) for one in launches[:3]]
    merged = notices(launches)["hung-finalize"]
    assert merged == Notice("hung-finalize", "MPI_Finalize hung (in 3 of 24 launches)", "update MPICH")
