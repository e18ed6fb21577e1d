"""A plan is carried out until it is enough, whatever launches fail, and goes on where it ended."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.core.errors import HostError
from rankwise.core.jobs import Outcome
from rankwise.core.records import Cell, FloatArray, Launch, Plan
from rankwise.core.tuning import Candidate
from rankwise.measurement.launch import Launching
from rankwise.measurement.runner import Ready, Runner, State
from support.harness_output import BEGIN, END, PlainLauncher, implementation, outcome, record, series
from support.replay import ReplayTestbed

A, B = implementation("mpich-5.0.2"), implementation("openmpi-5.0.11")
CELLS = tuple(Cell(one.id, name, size, 2) for one in (A, B) for name in ("pingpong", "bcast") for size in (1, 64))
PLAN = Plan(CELLS, seed=3, time_budget_seconds=60.0, min_launches=3, max_launches=5)

Answer = Callable[[tuple[str, ...]], Outcome]


def asked(argv: tuple[str, ...]) -> list[Cell]:
    named = (re.fullmatch(r"(\w+):(\d+)", word) for word in argv)
    return [Cell("", match[1], int(match[2]), 2) for match in named if match]


def steady(argv: tuple[str, ...]) -> Outcome:
    return outcome(BEGIN + "".join(series(cell, [1e-6, 1.1e-6]) for cell in asked(argv)) + END)


def half_width(medians: FloatArray) -> float:
    return float(np.ptp(medians) / np.median(medians))


def carry_out(
    plan: Plan, answer: Answer, earlier: list[Launch] | None = None, first_seconds: float | None = None
) -> tuple[str, list[Launch]]:
    kept: list[Launch] = []
    runner = Runner(
        plan, Launching(PlainLauncher(), ReplayTestbed(answer), plan), half_width, kept.append,
        first_seconds=None if first_seconds is None else lambda _: first_seconds,
    )  # fmt: skip
    ready = {one.id: Ready(one, Path("/cache/harness")) for one in (A, B)}
    return runner.run(ready, earlier or []), kept


def count(launches: list[Launch], cell: Cell) -> int:
    return sum(series.cell == cell for launch in launches for series in launch.series)


def test_it_stops_when_every_cell_is_precise() -> None:
    why, launches = carry_out(PLAN, steady)
    assert why == "precise"
    assert {count(launches, cell) for cell in CELLS} == {3}


def test_an_unsteady_cell_goes_on_alone_up_to_the_most_launches() -> None:
    calls = iter(range(1, 1000))

    def unsteady(argv: tuple[str, ...]) -> Outcome:
        shaky = 1e-6 * next(calls)
        said = (series(cell, [shaky if cell.size_bytes == 64 else 1e-6]) for cell in asked(argv))
        return outcome(BEGIN + "".join(said) + END)

    why, launches = carry_out(PLAN, unsteady)
    assert why == "max launches"
    assert {count(launches, cell) for cell in CELLS if cell.size_bytes == 64} == {5}
    assert {count(launches, cell) for cell in CELLS if cell.size_bytes == 1} == {3}


def test_a_steady_variant_goes_on_as_long_as_one_that_it_is_compared_with() -> None:
    """Were it to stop early, drift of the machine would part the two. What each loads has an id of its own."""
    steady_one = Cell(A.id, "bcast", 64, 2, label="wan", configuration="1a")
    shaky_one = Cell(B.id, "bcast", 64, 2, configuration="2b")
    times = iter(range(1, 1000))

    def of_both(argv: tuple[str, ...]) -> Outcome:
        seconds = 1e-6 * (next(times) if argv[0] == B.mpiexec else 1)
        return outcome(BEGIN + "".join(series(cell, [seconds]) for cell in asked(argv)) + END)

    _, launches = carry_out(replace(PLAN, cells=(steady_one, shaky_one)), of_both)
    assert count(launches, steady_one) == count(launches, shaky_one) == 5


@pytest.mark.parametrize("verify_first", [False, True])
def test_where_it_is_known_what_launches_take_nothing_goes_beyond_the_budget(verify_first: bool) -> None:
    plan = replace(PLAN, time_budget_seconds=10.0, verify_first=verify_first)
    assert carry_out(plan, steady, first_seconds=11.0) == ("time budget", [])
    assert carry_out(plan, steady, first_seconds=0.0)[1]


def test_the_first_round_is_completed_beyond_the_budget() -> None:
    why, launches = carry_out(replace(PLAN, time_budget_seconds=1e-9), steady)
    assert why == "time budget"
    assert {count(launches, cell) for cell in CELLS} == {1}


def test_a_crash_is_blamed_on_the_cell_that_ran_and_the_others_go_on() -> None:
    def crashing(argv: tuple[str, ...]) -> Outcome:
        said = BEGIN
        for cell in asked(argv):
            if (cell.benchmark, cell.size_bytes) == ("bcast", 64) and argv[0] == A.mpiexec:
                return outcome(said, returncode=139, stderr="rank 1: signal 11\n")
            said += series(cell, [1e-6])
        return outcome(said + END)

    _, launches = carry_out(PLAN, crashing)
    failed = [failure for launch in launches for failure in launch.failures]
    assert {(one.cell.benchmark, one.cell.size_bytes) for one in failed} == {("bcast", 64)}
    assert "signal 11" in failed[0].reason
    others = [cell for cell in CELLS if (cell.benchmark, cell.size_bytes) != ("bcast", 64)]
    assert all(count(launches, cell) >= 3 for cell in others)


@pytest.mark.parametrize("timed_out", [True, False])
def test_a_launcher_that_never_begins_is_given_up_after_two_tries(timed_out: bool) -> None:
    why, launches = carry_out(PLAN, lambda argv: outcome("", 1, "no such host\n", timed_out))
    assert why == "precise"  # of what could be measured: nothing
    assert len(launches) == 4
    assert {launch.status for launch in launches} == {"timed out" if timed_out else "failed"}
    assert {failure.cell for launch in launches for failure in launch.failures} == set(CELLS)


def test_ranks_that_started_as_jobs_of_their_own_have_measured_nothing() -> None:
    alone = BEGIN.replace('"ranks":2', '"ranks":1')
    _, launches = carry_out(
        PLAN, lambda argv: outcome(alone + "".join(series(c, [1e-6]) for c in asked(argv)) + END)
    )
    assert {launch.status for launch in launches} == {"failed"}
    assert not any(launch.series for launch in launches)
    assert "MPI_COMM_WORLD has 1 instead of 2 ranks" in launches[0].reason


def test_wrong_data_is_not_tried_again() -> None:
    def wrong(argv: tuple[str, ...]) -> Outcome:
        said = "".join(
            record(
                rankwise="failure",
                benchmark=c.benchmark,
                size_bytes=c.size_bytes,
                kind="wrong data",
                reason="3 bytes",
            )
            for c in asked(argv)
        )
        return outcome(BEGIN + said + END)

    _, launches = carry_out(PLAN, wrong)
    assert len(launches) == 2


def test_verified_cells_are_done_after_one_launch() -> None:
    def verified(argv: tuple[str, ...]) -> Outcome:
        assert "--verify" in argv
        said = (record(rankwise="verified", benchmark=c.benchmark, size_bytes=c.size_bytes) for c in asked(argv))
        return outcome(BEGIN + "".join(said) + END)

    why, launches = carry_out(replace(PLAN, verify=True), verified)
    assert why == "verified"
    assert {cell for launch in launches for cell in launch.verified} == set(CELLS)


CHECKING = replace(PLAN, verify_first=True)


def says(argv: tuple[str, ...], wrong: Callable[[Cell], bool] = lambda _: False) -> str:
    """What a harness says of each cell: its data if asked for, or else its times."""
    if "--verify" not in argv:
        return "".join(series(cell, [1e-6, 1.1e-6]) for cell in asked(argv))
    return "".join(
        record(
            rankwise="failure", benchmark=c.benchmark, size_bytes=c.size_bytes, kind="wrong data", reason="3 bytes"
        )
        if wrong(c)
        else record(rankwise="verified", benchmark=c.benchmark, size_bytes=c.size_bytes)
        for c in asked(argv)
    )


def test_data_are_checked_once_before_anything_is_timed() -> None:
    why, launches = carry_out(CHECKING, lambda argv: outcome(BEGIN + says(argv) + END))
    assert why == "precise"
    assert [launch.verifying for launch in launches] == [True] * 2 + [False] * 6
    assert {cell for launch in launches[:2] for cell in launch.verified} == set(CELLS)
    assert {count(launches, cell) for cell in CELLS} == {3}


def test_cells_with_wrong_data_are_never_timed() -> None:
    def answer(argv: tuple[str, ...]) -> Outcome:
        return outcome(BEGIN + says(argv, lambda cell: cell.benchmark == "bcast") + END)

    why, launches = carry_out(CHECKING, answer)
    assert why == "precise"
    wrong = {cell for cell in CELLS if cell.benchmark == "bcast"}
    assert {one.cell for launch in launches for one in launch.failures} == wrong
    assert {count(launches, cell) for cell in wrong} == {0}
    assert {count(launches, cell) for cell in set(CELLS) - wrong} == {3}


def test_a_crash_while_checking_leaves_the_other_cells_to_another_launch() -> None:
    def crashing(argv: tuple[str, ...]) -> Outcome:
        said = BEGIN
        for cell in asked(argv):
            if "--verify" in argv and (cell.benchmark, cell.size_bytes) == ("bcast", 64):
                return outcome(said, returncode=139, stderr="rank 1: signal 11\n")
            said += says(("--verify", f"{cell.benchmark}:{cell.size_bytes}")) if "--verify" in argv else ""
        return outcome(said + says(argv) + END) if "--verify" not in argv else outcome(said + END)

    _, launches = carry_out(CHECKING, crashing)
    checked = [launch for launch in launches if launch.verifying]
    bad = {cell for cell in CELLS if (cell.benchmark, cell.size_bytes) == ("bcast", 64)}
    assert {cell for launch in checked for cell in launch.verified} == set(CELLS) - bad
    assert {one.cell for launch in checked for one in launch.failures} == bad


def test_a_resumed_run_checks_only_what_was_not_checked() -> None:
    def answer(argv: tuple[str, ...]) -> Outcome:
        return outcome(BEGIN + says(argv) + END)

    _, everything = carry_out(CHECKING, answer)
    _, rest = carry_out(CHECKING, answer, earlier=everything[:1])
    assert [launch.verifying for launch in rest] == [True] + [False] * 6
    _, rest = carry_out(CHECKING, answer, earlier=everything[:2])
    assert not any(launch.verifying for launch in rest)
    assert {count(rest, cell) for cell in CELLS} == {3}


def test_a_testbed_that_breaks_down_while_data_are_checked_ends_the_plan() -> None:
    why, launches = carry_out(CHECKING, broken)
    assert why == "the testbed failed repeatedly"
    assert len(launches) < 10


def test_a_resumed_run_measures_only_what_is_missing() -> None:
    _, all_launches = carry_out(PLAN, steady)
    _, rest = carry_out(PLAN, steady, earlier=all_launches[:4])
    assert {count(all_launches[:4] + rest, cell) for cell in CELLS} == {3}


def test_more_ranks_than_slots_is_marked_and_yields() -> None:
    seen: list[tuple[str, ...]] = []

    def answer(argv: tuple[str, ...]) -> Outcome:
        seen.append(argv)
        return steady(argv)

    plan = replace(PLAN, cells=tuple(replace(cell, ranks=8) for cell in CELLS))
    _, launches = carry_out(plan, answer)
    assert all("--yield" in argv for argv in seen)
    assert all(launch.oversubscribed for launch in launches)


def test_progress_is_told_before_each_launch() -> None:
    states: list[State] = []
    launching = Launching(PlainLauncher(), ReplayTestbed(steady), PLAN)
    runner = Runner(PLAN, launching, half_width, lambda _launch: None, states.append)
    runner.run({one.id: Ready(one, Path("/cache/harness")) for one in (A, B)})
    assert [state.launches for state in states] == list(range(6))
    assert states[0].cells == len(CELLS)


def test_where_the_budget_would_not_hold_enough_launches_repetitions_get_shorter() -> None:
    seconds: list[float] = []

    def slow(argv: tuple[str, ...]) -> Outcome:
        seconds.append(float(argv[argv.index("--seconds") + 1]))
        time.sleep(0.05)
        return steady(argv)

    plan = replace(PLAN, time_budget_seconds=0.5, seconds_per_cell=0.01, min_launches=20, max_launches=30)
    carry_out(plan, slow)
    assert seconds[0] == 0.01
    assert seconds[-1] < 0.01


def test_with_time_enough_repetitions_keep_their_length() -> None:
    seconds: set[str] = set()

    def answer(argv: tuple[str, ...]) -> Outcome:
        seconds.add(argv[argv.index("--seconds") + 1])
        return steady(argv)

    carry_out(replace(PLAN, seconds_per_cell=0.01), answer)
    assert seconds == {"0.01"}


def test_cells_with_less_to_wait_for_are_repeated_for_less_time() -> None:
    asked_for: list[tuple[int, float]] = []

    def noted(argv: tuple[str, ...]) -> Outcome:
        seconds = float(argv[argv.index("--seconds") + 1])
        asked_for.extend((cell.size_bytes, seconds) for cell in asked(argv))
        return steady(argv)

    plan = replace(PLAN, cells=tuple(replace(one, ranks=2 if one.size_bytes == 1 else 3) for one in CELLS))
    runner = Runner(
        plan, Launching(PlainLauncher(), ReplayTestbed(noted), plan), half_width, lambda _: None,
        most_seconds=lambda cell: 0.002 if cell.ranks == 2 else 5.0,
    )  # fmt: skip
    runner.run({one.id: Ready(one, Path("/cache/harness")) for one in (A, B)})
    assert set(asked_for) == {(1, 0.002), (64, plan.seconds_per_cell)}


def test_a_launcher_that_cannot_be_started_fails_its_cells_and_the_others_go_on() -> None:
    def gone(argv: tuple[str, ...]) -> Outcome:
        raise HostError("cannot start mpiexec: No such file or directory")

    why, launches = carry_out(PLAN, gone)
    assert why == "precise"  # of what could be measured: nothing
    assert {launch.status for launch in launches} == {"failed"}
    assert {failure.cell for launch in launches for failure in launch.failures} == set(CELLS)
    assert "cannot start mpiexec" in launches[0].reason


def broken(argv: tuple[str, ...]) -> Outcome:
    """Its harness had finished, but what it measured on a testbed that breaks down is worth nothing."""
    return replace(steady(argv), broken="the link emulator ended")


def test_a_testbed_that_breaks_down_now_and_then_is_held_against_no_cell() -> None:
    calls = iter(range(1000))

    def now_and_then(argv: tuple[str, ...]) -> Outcome:
        return broken(argv) if next(calls) % 3 else steady(argv)

    why, launches = carry_out(PLAN, now_and_then)
    assert why == "precise"
    failed = [launch for launch in launches if launch.status == "failed"]
    assert {(launch.reason, launch.failures, launch.series) for launch in failed} == {
        ("the link emulator ended", (), ())
    }
    assert {count(launches, cell) for cell in CELLS} >= {3}


def test_a_testbed_that_always_breaks_down_ends_the_plan() -> None:
    why, launches = carry_out(PLAN, broken)
    assert why == "the testbed failed repeatedly"
    assert len(launches) < 10


def test_cells_of_a_later_turn_wait_until_the_earlier_ones_can_be_judged() -> None:
    kept: list[Launch] = []
    launching = Launching(PlainLauncher(), ReplayTestbed(steady), PLAN)
    runner = Runner(PLAN, launching, half_width, kept.append, priority=lambda cell: int(cell.benchmark == "bcast"))
    assert runner.run({one.id: Ready(one, Path("/cache/harness")) for one in (A, B)}) == "precise"
    names = [{series.cell.benchmark for series in launch.series} for launch in kept]
    both = {"pingpong", "bcast"}  # three rounds of two implementations each, the first one of everything
    assert names == [both] * 2 + [{"pingpong"}] * 4 + [{"bcast"}] * 4


def test_a_candidate_that_ends_its_launch_bears_the_failure_alone() -> None:
    cells = [replace(CELLS[0], label=label) for label in ("one", "default", "two", "one", "three")]
    candidates = {label: Candidate((("variable", label),)) for label in ("one", "two", "three")}

    def breaking(argv: tuple[str, ...]) -> Outcome:
        one = json.loads(series(CELLS[0], [1e-6, 1.1e-6]))
        said = [json.dumps({**one, "candidate": number}, separators=(",", ":")) for number in (1, 0)]
        return outcome(BEGIN + "\n".join(said), returncode=1, stderr="it broke")

    launching = Launching(PlainLauncher(), ReplayTestbed(breaking), PLAN)
    launch = launching.launch(A, Path("/cache/harness"), cells, candidates=candidates)
    assert [one.cell for one in launch.series] == cells[:2]
    assert [one.cell for one in launch.failures] == cells[2:3]
    assert "--candidate variable=one" in launch.command
