"""Each doubt about a run has one notice with its remedy, and a good run has none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.compare.simulated import benchmarks, launch
from rankwise.analysis.compare import compare
from rankwise.analysis.compare.cells import gather
from rankwise.core.records import Cell, CellFailure, Launch, Notice, Start

KNOWN = benchmarks(pingpong="point-to-point", sendrecv="point-to-point", bcast="collective", empty="harness")
KNOWN["pingpong"] = replace(KNOWN["pingpong"], one_clock=True)


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


def test_clocks_matter_to_what_more_than_one_rank_times() -> None:
    assert notices([replace(one, clock_error_seconds=1e-6) for one in quiet()]) == {}
    ring = notices([replace(one, clock_error_seconds=1e-6) for one in quiet(benchmark="sendrecv")])
    assert list(ring) == ["unsynchronised"]
    found = notices([replace(one, clock_error_seconds=1e-6) for one in quiet(benchmark="bcast")])
    assert list(found) == ["unsynchronised"]


def with_start(one: Launch, start: Start) -> Launch:
    return replace(one, series=tuple(replace(series, start=start) for series in one.series))


def test_a_barrier_start_beside_an_agreed_one_is_told() -> None:
    agreed = [with_start(one, "agreed") for one in quiet(benchmark="bcast")]
    assert notices(agreed) == {}
    assert notices([with_start(one, "barrier") for one in agreed]) == {}
    mixed = [with_start(one, "barrier") if one.implementation == "b" else one for one in agreed]
    assert list(notices(mixed)) == ["mixed-starts"]
    assert "1 of b" in notices(mixed)["mixed-starts"].message
    within = [with_start(agreed[0], "barrier"), *agreed[1:]]
    assert "1 of a" in notices(within)["mixed-starts"].message


def test_what_measuring_costs_is_told_where_it_counts() -> None:
    costly = [replace(one, timer_cost_seconds=2e-7) for one in quiet()]  # 2 % of 10 us
    assert list(notices(costly)) == ["harness-cost"]
    batched = [replace(one, series=tuple(replace(s, batch=4) for s in one.series)) for one in costly]
    assert notices(batched) == {}
    both_ways = [
        replace(one, series=tuple(replace(s, messages_per_operation=4) for s in one.series)) for one in costly
    ]
    assert notices(both_ways) == {}


def checked(name: str, *right: Cell, wrong: tuple[Cell, ...] = ()) -> Launch:
    failures = tuple(CellFailure(cell, "byte 5 is 0x00, not 0x01", "wrong data") for cell in wrong)
    return replace(launch(name, {}, -1.0), verifying=True, verified=right, failures=failures)


def test_data_that_were_not_checked_are_told_in_a_run_that_checks() -> None:
    cell = Cell("a", "pingpong", 8, 2)
    both = [checked("a", cell), checked("b", replace(cell, implementation="b"))]
    assert notices([*both, *quiet()]) == {}
    found = notices([both[0], checked("b"), *quiet()])
    assert list(found) == ["data-unchecked"]
    assert "1 cell " in found["data-unchecked"].message


def test_wrong_data_go_first_and_have_no_verdict() -> None:
    cell = Cell("a", "pingpong", 8, 2)
    launches = [checked("a", wrong=(cell,)), checked("b", replace(cell, implementation="b")), *quiet(3)]
    found = compare(launches, KNOWN, "a")
    assert found.notices[0].kind == "wrong-data"
    assert found.verdicts == ()
    assert [one.cell for one in found.wrong_data] == [cell]


def test_a_verifying_launch_is_no_round() -> None:
    cell = Cell("a", "pingpong", 8, 2)
    plain = gather(quiet(), KNOWN)
    with_check = gather([checked("a", cell), *quiet()], KNOWN)
    assert [one.rounds.tolist() for one in with_check] == [one.rounds.tolist() for one in plain]


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
