"""A validation keeps what it can show in the time that it has, and takes no more time than that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.tune.simulated import IMPLEMENTATION, Simulated, setting
from rankwise.analysis.tune.search import Trial
from rankwise.analysis.tunings import choice_at, merged
from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.analysis.validation.evidence import FEW, FIRST_LOOK
from rankwise.core.records import Benchmark, Cell, Launch
from rankwise.core.tuning import Choice, Decision, Rule, Setting, Tuning
from rankwise.measurement.plan import together
from rankwise.workflows.tune.budget import Pace
from rankwise.workflows.tune.found import Found, ValidationRun
from rankwise.workflows.tune.validation import SIDES, Question, Validation
from rankwise.workflows.tune.validation_cells import Wanted

LAUNCH_SECONDS = 2.0
BENCHMARKS = {name: Benchmark(name, "collective", "simulated") for name in ("bcast", "reduce")}
FAST, SLOW, EQUAL = Choice("fast"), Choice("slow"), Choice("equal")
RATIOS = {"fast": 0.7, "slow": 1.3, "equal": 1.0}
Law = Callable[[Tuning, Cell], float]


def decision(operation: str, ranks: int, choice: Choice) -> Decision:
    return Decision(operation, ranks, (Rule(1024, choice), Rule(None, Choice())))


def law(tuning: Tuning, cell: Cell) -> float:
    return 1e-4 * RATIOS.get(choice_at(tuning, cell).algorithm, 1.0)


def cells_of(_: str, tuning: Tuning) -> list[Wanted]:
    """Two sizes of each decision, and one elsewhere that nobody requires."""
    found = []
    for one in tuning.decisions:
        base = Cell(IMPLEMENTATION, one.operation, 64, one.ranks, testbed="lab")
        found += [Wanted(replace(base, size_bytes=size), "in a rule") for size in (64, 1024)]
        found.append(Wanted(replace(base, placement="cyclic"), "elsewhere", is_required=False))
    for one_setting in tuning.settings:
        found.append(Wanted(Cell(IMPLEMENTATION, "bcast", 64, 2, testbed="lab"), one_setting.knob))
    return found


def timed(launch: Launch, now: float, cell_seconds: float = 0.0) -> Launch:
    of_cells = 1e-6 + len(launch.series) * cell_seconds
    return replace(launch, started_at=now, seconds=LAUNCH_SECONDS + of_cells, cells_seconds=of_cells)


@dataclass
class Machine:
    """Measures as `StoredRuns` does, on a clock of its own; a launch is not begun if it would end too late."""

    law: Law = law
    spread: float = 0.01
    cell_seconds: float = 0.0
    now: float = 0.0
    asked: list[tuple[tuple[Cell, ...], int]] = field(default_factory=list)
    launched: list[Launch] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def measure(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning], bases: Mapping[str, Tuning], launches: int,
        seconds: float, *, data: bool,
    ) -> tuple[int, list[Launch]]:  # fmt: skip
        assert not data
        self.asked.append((tuple(cells), launches))
        end = self.now + seconds
        simulated = Simulated(self.law, np.random.default_rng(len(self.asked)), self.spread)
        found: list[Launch] = []
        for _ in range(launches):
            for kind in dict.fromkeys(map(together, cells)):
                own = [cell for cell in cells if together(cell) == kind]
                for label, tuning in (("default", bases[IMPLEMENTATION]), ("new", tunings[IMPLEMENTATION])):
                    labelled = tuple(replace(cell, label=label) for cell in own)
                    launch = timed(simulated.launch(Trial(label, tuning, labelled)), self.now, self.cell_seconds)
                    if self.now + launch.seconds <= end:
                        found.append(launch)
                        self.now += launch.seconds
        self.launched += found
        return len(self.asked), found


def validated(tuning: Tuning, seconds: float, machine: Machine) -> tuple[Found, Acceptance | None]:
    return validated_on_top(Found(proposed=tuning), seconds, machine)


def as_it_is(_: str, tuning: Tuning) -> tuple[Tuning, tuple[()]]:
    return tuning, ()


def validated_on_top(
    start: Found, seconds: float, machine: Machine, wanted: Callable[[str, Tuning], list[Wanted]] = cells_of
) -> tuple[Found, Acceptance | None]:
    question = Question("new", wanted, as_it_is, BENCHMARKS, 0.05, looks_at_data=False)
    pace = Pace(lambda _: 0.0)
    trial = Trial("default", Tuning(), (Cell(IMPLEMENTATION, "bcast", 64, 4),))
    searched = Simulated(law, np.random.default_rng(0)).launch(trial)
    pace.add([timed(searched, 0.0, machine.cell_seconds)])
    validation = Validation(question, machine, pace, machine.clock)
    end = machine.now + seconds
    found = validation.look_for_harm(validation.run({IMPLEMENTATION: start}, end), end)[IMPLEMENTATION]
    if found.tuning == start.tuning:
        return found, None
    return found, validation.acceptance(IMPLEMENTATION, start.tuning, found.tuning)


def test_what_is_faster_is_kept_with_its_gain() -> None:
    machine = Machine()
    found, accepted = validated(Tuning(decisions=(decision("bcast", 4, FAST),)), 600.0, machine)
    assert found.tuning.decisions == (decision("bcast", 4, FAST),)
    assert accepted is not None and accepted.gain.ratio == pytest.approx(0.7, rel=0.02)
    assert [launches for _, launches in machine.asked][:2] == [1, FIRST_LOOK - 1]
    placements = [{cell.placement for cell in cells} for cells, _ in machine.asked]
    assert placements[:2] == [{"block"}, {"block"}] and {"cyclic"} in placements, "what is required first"


def test_where_there_is_no_time_for_all_rules_those_that_fit_are_validated() -> None:
    tuning = Tuning(decisions=(decision("bcast", 4, FAST), decision("reduce", 4, FAST)))
    for_one = SIDES * (LAUNCH_SECONDS + 2 * 10.0) * FIRST_LOOK
    machine = Machine(cell_seconds=10.0)
    found, accepted = validated(tuning, 1.2 * for_one, machine)
    assert accepted is not None and [one.operation for one in found.tuning.decisions] == ["bcast"]
    (reason,) = (one for one in found.missing if one.subject.startswith("reduce"))
    assert "time" in reason.words and found.is_open
    found, accepted = validated(tuning, 0.9 * for_one, Machine(cell_seconds=10.0))
    assert accepted is None and not found.tuning.decisions


def test_of_one_operation_the_rules_that_fit_are_validated() -> None:
    both = Decision(
        "bcast", 4, (Rule(64, FAST), Rule(1024, Choice("fast", segment_bytes=8192)), Rule(None, Choice()))
    )
    for_one = SIDES * (LAUNCH_SECONDS + 10.0) * FIRST_LOOK
    found, accepted = validated(Tuning(decisions=(both,)), 1.2 * for_one, Machine(cell_seconds=10.0))
    assert accepted is not None
    assert [rule.choice for rule in found.tuning.decisions[0].rules] == [FAST, Choice()]


def test_where_there_is_no_time_for_all_it_goes_to_what_gains_most() -> None:
    def much_on_eight(tuning: Tuning, cell: Cell) -> float:
        return law(tuning, cell) * (0.2 if tuning.decisions and cell.ranks == 8 else 1.0)

    decisions = decision("bcast", 4, FAST), decision("bcast", 8, FAST)
    seconds = SIDES * LAUNCH_SECONDS * (2 + FIRST_LOOK - 1) + 1.0
    found, _ = validated(Tuning(decisions=decisions), seconds, Machine(much_on_eight))
    assert [one.ranks for one in found.tuning.decisions] == [8]


def test_every_number_of_ranks_is_launched_once_before_any_is_launched_again() -> None:
    decisions = decision("bcast", 4, FAST), decision("bcast", 8, FAST)
    machine = Machine()
    found, _ = validated(Tuning(decisions=decisions), 600.0, machine)
    assert found.tuning.decisions == decisions
    (first, once), *_ = machine.asked
    assert ({cell.ranks for cell in first}, once) == ({4, 8}, 1), "what those on 8 ranks take, nobody knew"


def test_one_slow_rule_goes_back_and_the_others_are_not_measured_again() -> None:
    tuning = Tuning(decisions=(decision("bcast", 4, FAST), decision("reduce", 4, SLOW)))
    machine = Machine()
    found, _ = validated(tuning, 600.0, machine)
    assert found.tuning.decisions == tuning.decisions[:1]
    assert any("slow (up to 1 KiB) goes back to the default" in reason.words for reason in found.reasons)
    times: dict[Cell, int] = {}
    for cells, launches in machine.asked:
        for cell in cells:
            times[cell] = times.get(cell, 0) + launches
    assert {times[cell] for cell in times if cell.benchmark == "bcast"} == {FIRST_LOOK}
    assert max(times.values()) == FEW, "three launches alone call nothing slower"


def test_more_launches_go_to_what_is_open_alone() -> None:
    tuning = Tuning(decisions=(decision("bcast", 4, FAST), decision("reduce", 4, EQUAL)))
    machine = Machine(spread=0.05)
    found, _ = validated(tuning, 2000.0, machine)
    assert found.tuning.decisions[0] == tuning.decisions[0]
    (_, first), (_, second), *more = machine.asked
    assert first + second == FIRST_LOOK
    assert len(more) > 1 and {cell.benchmark for cell in more[-1][0]} == {"reduce"}


def test_after_a_setting_went_back_everything_is_measured_afresh() -> None:
    def slow_setting(tuning: Tuning, cell: Cell) -> float:
        return law(tuning, cell) * (1.5 if setting(tuning, "transport") and cell.ranks == 2 else 1.0)

    tuning = Tuning((Setting("transport", "bad"),), (decision("bcast", 4, FAST),))
    machine = Machine(slow_setting)
    found, _ = validated(tuning, 600.0, machine)
    assert (found.tuning.settings, found.tuning.decisions) == ((), tuning.decisions)
    required = [cells for cells, _ in machine.asked if {cell.placement for cell in cells} == {"block"}]
    assert {cell.size_bytes for cell in required[-1]} == {64, 1024}
    assert {cell.ranks for cell in required[-1]} == {4} != {cell.ranks for cell in required[0]}


@pytest.mark.parametrize("seconds", [0.0, 5.0, 23.0, 25.0, 47.0, 60.0, 100.0, 333.0])
@pytest.mark.parametrize("spread", [0.01, 0.2])
def test_it_ends_in_time_and_keeps_nothing_that_was_not_shown(seconds: float, spread: float) -> None:
    decisions = tuple(decision(name, ranks, FAST) for name in ("bcast", "reduce") for ranks in (4, 6))
    machine = Machine(spread=spread)
    found, accepted = validated(Tuning(decisions=decisions), seconds, machine)
    assert machine.now <= seconds
    if seconds < 2 * FIRST_LOOK * LAUNCH_SECONDS:
        assert found.tuning == Tuning() and accepted is None and not machine.asked
        assert found.proposed.decisions == decisions, "it is not forgotten"
        assert all("not measured, out of time" in reason.words for reason in found.missing)
    elif spread == 0.01:
        ranks = {one.ranks for one in found.tuning.decisions}
        assert len(ranks) == 1 + (seconds >= 2 * SIDES * FIRST_LOOK * LAUNCH_SECONDS), (
            "fewer rules, if there is less time"
        )
    if accepted:
        shown = {one.cell for one in accepted.evidence if one.state == "shown"}
        wanted = {one.cell for one in cells_of("", found.tuning) if one.is_required}
        assert wanted <= shown


def test_a_machine_on_which_nothing_runs_ends_the_validation() -> None:
    machine = Machine()
    machine.measure = lambda *_, **__: (1, [])  # type: ignore[method-assign]
    found, accepted = validated(Tuning(decisions=(decision("bcast", 4, FAST),)), 600.0, machine)
    assert found.tuning == Tuning() and accepted is None


LIMITS = ("net.ipv4.tcp_rmem", "4096 131072 16777216")
SIZES = (1, 65536, 1 << 20, 12 << 20)


def limits_law(tuning: Tuning, cell: Cell) -> float:
    """Behind small limits what is large takes five times as long; a threshold gains a tenth."""
    gain = 0.2 if LIMITS in tuning.host_settings and cell.size_bytes >= 1 << 20 else 1.0
    return 1e-3 * (1 + cell.size_bytes / 1e4) * gain * (0.9 if setting(tuning, "eager-threshold") else 1.0)


def wide_cells_of(_: str, tuning: Tuning) -> list[Wanted]:
    if tuning == Tuning():
        return []
    base = Cell(IMPLEMENTATION, "bcast", 0, 2, testbed="lab")
    return [Wanted(replace(base, size_bytes=size), "settings act") for size in SIZES]


@pytest.mark.parametrize("spread", [0.005, 0.03])
def test_a_gain_of_five_times_is_kept_in_a_short_time(spread: float) -> None:
    """Three launches of either side are enough, though small messages are not shown to be as fast to 5 %."""
    one_launch, launches = LAUNCH_SECONDS + len(SIZES) * 1.0, FIRST_LOOK + (spread > 0.01)
    machine = Machine(limits_law, spread, cell_seconds=1.0)
    start = Found(proposed=Tuning(host_settings=(LIMITS,)))
    found, accepted = validated_on_top(start, SIDES * launches * one_launch + 1.0, machine, wide_cells_of)
    assert found.tuning.host_settings == (LIMITS,) and not found.is_open
    assert accepted is not None
    ratios = {one.size_bytes: one.ratio for one in accepted.verdicts}
    assert ratios[12 << 20] == pytest.approx(0.2, rel=0.1) and ratios[1] == pytest.approx(1.0, rel=0.1)
    assert {one.size_bytes for one in accepted.verdicts if one.verdict == "faster"} == {1 << 20, 12 << 20}


def test_what_is_slower_somewhere_is_not_kept_however_much_it_gains_elsewhere() -> None:
    def slow_for_small(tuning: Tuning, cell: Cell) -> float:
        return limits_law(tuning, cell) * (1.3 if tuning.host_settings and cell.size_bytes == 1 else 1.0)

    start = Found(proposed=Tuning(host_settings=(LIMITS,)))
    found, _ = validated_on_top(start, 2000.0, Machine(slow_for_small), wide_cells_of)
    assert (found.tuning, found.is_open) == (Tuning(), False)


def test_what_comes_later_is_measured_beside_what_is_validated_and_takes_nothing_of_it_away() -> None:
    def bad_threshold(tuning: Tuning, cell: Cell) -> float:
        """Still twice as fast as by default, and half as fast as with the limits alone."""
        return limits_law(tuning, cell) * (2.5 if setting(tuning, "eager-threshold") else 1.0)

    kept = Tuning(host_settings=(LIMITS,))
    start = Found(kept, replace(kept, settings=(Setting("eager-threshold", "1024"),)), (kept,))
    found, _ = validated_on_top(start, 600.0, Machine(bad_threshold), wide_cells_of)
    assert found.tuning == kept and found.increments == (kept,) and not found.is_open
    found, accepted = validated_on_top(start, 600.0, Machine(limits_law), wide_cells_of)
    assert found.tuning == start.proposed and found.increments == (kept, start.proposed)
    assert accepted is not None and accepted.gain.ratio == pytest.approx(0.9, rel=0.05), "of the step alone"


@given(
    st.lists(st.floats(0.0, 120.0), min_size=1, max_size=4),
    st.sampled_from([0.005, 0.05, 0.3]),
    st.integers(0, 99),
)
@settings(max_examples=25, deadline=None)
def test_what_is_validated_only_grows_and_no_deadline_is_passed(
    times: list[float], spread: float, seed: int
) -> None:
    """However the time is cut: the later a tuning ends, the more of it is validated."""
    question = Question("new", wide_cells_of, as_it_is, BENCHMARKS, 0.05, looks_at_data=False)
    machine = Machine(limits_law, spread, cell_seconds=0.5, now=float(seed))
    validation = Validation(question, machine, Pace(lambda _: 0.0), machine.clock)
    steps = [Tuning(host_settings=(LIMITS,)), Tuning((Setting("eager-threshold", "65536"),), (), (LIMITS,))]
    found = Found()
    for at, seconds in enumerate(times):
        proposed = merged(found.proposed, steps[min(at, 1)])
        end = machine.now + seconds
        after = validation.run({IMPLEMENTATION: replace(found, proposed=proposed)}, end)[IMPLEMENTATION]
        assert machine.now <= max(end, end - seconds)
        assert set(found.tuning.host_settings) <= set(after.tuning.host_settings)
        assert set(found.tuning.settings) <= set(after.tuning.settings)
        assert after.increments[: len(found.increments)] == found.increments
        assert after.tuning == (after.increments or (Tuning(),))[-1]
        found = after


def test_what_was_measured_before_an_interruption_counts() -> None:
    question = Question("new", wide_cells_of, as_it_is, BENCHMARKS, 0.05, looks_at_data=False)
    start, pace = Found(proposed=Tuning(host_settings=(LIMITS,))), Pace(lambda _: 0.0)
    machine = Machine(limits_law, 0.005, cell_seconds=1.0)
    first = Validation(question, machine, pace, machine.clock)
    needed = first.needed_seconds(IMPLEMENTATION, start)
    open_ = first.run({IMPLEMENTATION: start}, 0.6 * SIDES * FIRST_LOOK * (LAUNCH_SECONDS + len(SIZES)))
    assert open_[IMPLEMENTATION].is_open and machine.launched and needed > 0
    stored = [
        (ValidationRun(1, {IMPLEMENTATION: start.proposed}, {IMPLEMENTATION: Tuning()}), tuple(machine.launched))
    ]
    again = Machine(limits_law, 0.005, cell_seconds=1.0)
    validation = Validation(question, again, pace, again.clock, stored)
    found = validation.run(open_, 600.0)[IMPLEMENTATION]
    assert found.tuning == start.proposed
    assert len(again.launched) < SIDES * FIRST_LOOK


@pytest.mark.parametrize("cost", [1.0, 1.5])
def test_where_nothing_should_act_one_look_is_enough_unless_it_is_slower(cost: float) -> None:
    def harmful(tuning: Tuning, cell: Cell) -> float:
        return limits_law(tuning, cell) * (cost if tuning.host_settings and cell.size_bytes == 1 else 1.0)

    def checked(one: str, tuning: Tuning) -> list[Wanted]:
        return [
            replace(each, is_required=False, is_harm_check=True) if each.cell.size_bytes < 1 << 20 else each
            for each in wide_cells_of(one, tuning)
        ]

    machine = Machine(harmful, 0.02)
    start = Found(proposed=Tuning(host_settings=(LIMITS,)))
    found, accepted = validated_on_top(start, 600.0, machine, checked)
    small = sum(launches for cells, launches in machine.asked if 1 in {cell.size_bytes for cell in cells})
    if cost == 1.0:
        assert found.tuning == start.proposed and accepted is not None and small == FIRST_LOOK
        assert {one.state for one in accepted.evidence if one.cell.size_bytes < 1 << 20} == {"bounded"}
    else:
        assert found.tuning == Tuning() and not found.is_open and small > FIRST_LOOK
        assert any("goes back" in reason.words or "go back" in reason.words for reason in found.reasons)


@pytest.mark.parametrize(("seconds", "left"), [(600.0, "limits"), (14.0, "nothing")])
def test_of_several_steps_what_does_harm_goes_and_what_was_validated_before_it_stays(
    seconds: float, left: str
) -> None:
    """If there is time to look at that; else nothing stays, for nobody has seen that it does no harm."""
    steps = Tuning(host_settings=(LIMITS,)), Tuning((Setting("transport", "x"),), (), (LIMITS,))

    def harmful(tuning: Tuning, cell: Cell) -> float:
        return limits_law(tuning, cell) * (1.6 if tuning.settings and cell.size_bytes == 1 else 1.0)

    def checked(one: str, tuning: Tuning) -> list[Wanted]:
        return [
            replace(each, is_required=False, is_harm_check=True)
            for each in wide_cells_of(one, tuning)
            if each.cell.size_bytes == 1
        ]

    question = Question("new", checked, as_it_is, BENCHMARKS, 0.05, looks_at_data=False)
    machine = Machine(harmful, 0.01)
    validation = Validation(question, machine, Pace(lambda _: 0.0), machine.clock)
    start = {IMPLEMENTATION: Found(steps[1], steps[1], steps)}
    six_of_each = 2 * SIDES * FIRST_LOOK * LAUNCH_SECONDS
    found = validation.look_for_harm(start, seconds if seconds > six_of_each else six_of_each + 1.0)
    assert found[IMPLEMENTATION].tuning == (steps[0] if left == "limits" else Tuning())
    assert found[IMPLEMENTATION].increments == (steps[:1] if left == "limits" else ())
    assert not found[IMPLEMENTATION].is_open and found[IMPLEMENTATION].reasons


def test_nothing_is_looked_at_for_harm_where_nothing_is_validated() -> None:
    machine = Machine()
    question = Question("new", wide_cells_of, as_it_is, BENCHMARKS, 0.05, looks_at_data=False)
    validation = Validation(question, machine, Pace(lambda _: 0.0), machine.clock)
    start = {IMPLEMENTATION: Found(proposed=Tuning(host_settings=(LIMITS,)))}
    assert validation.look_for_harm(start, 600.0) == start and not machine.asked


@pytest.mark.parametrize(("cost", "is_kept"), [(1.0, True), (1.15, True), (1.5, False)])
def test_on_a_busy_machine_a_large_gain_stays_unless_a_loss_shows(cost: float, is_kept: bool) -> None:
    """Small messages seem to differ by more than the margin there, whatever is set."""

    def busy(tuning: Tuning, cell: Cell) -> float:
        return limits_law(tuning, cell) * (cost if tuning.host_settings and cell.size_bytes == 1 else 1.0)

    start = Found(proposed=Tuning(host_settings=(LIMITS,)))
    found, _ = validated_on_top(start, 200.0, Machine(busy, 0.05), wide_cells_of)
    assert (found.tuning == start.proposed) == is_kept
