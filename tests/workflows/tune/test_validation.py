"""A validation keeps what it can show in the time that it has, and takes no more time than that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from analysis.tune.simulated import IMPLEMENTATION, Simulated, setting
from rankwise.analysis.tune.search import Trial
from rankwise.analysis.tunings import choice_at
from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.analysis.validation.evidence import FIRST_LOOK
from rankwise.core.records import Benchmark, Cell, Launch
from rankwise.core.tuning import Choice, Decision, Rule, Setting, Tuning
from rankwise.measurement.plan import together
from rankwise.workflows.tune.budget import Pace
from rankwise.workflows.tune.search import Found
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

    def clock(self) -> float:
        return self.now

    def measure(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning], launches: int, seconds: float, *, data: bool
    ) -> list[Launch]:
        assert not data
        self.asked.append((tuple(cells), launches))
        end = self.now + seconds
        simulated = Simulated(self.law, np.random.default_rng(len(self.asked)), self.spread)
        found: list[Launch] = []
        for _ in range(launches):
            for kind in dict.fromkeys(map(together, cells)):
                own = [cell for cell in cells if together(cell) == kind]
                for label, tuning in (("default", Tuning()), ("new", tunings[IMPLEMENTATION])):
                    labelled = tuple(replace(cell, label=label) for cell in own)
                    launch = timed(simulated.launch(Trial(label, tuning, labelled)), self.now, self.cell_seconds)
                    if self.now + launch.seconds <= end:
                        found.append(launch)
                        self.now += launch.seconds
        return found


def validated(tuning: Tuning, seconds: float, machine: Machine) -> tuple[Found, Acceptance | None]:
    found = {IMPLEMENTATION: Found(tuning)}
    question = Question("new", cells_of, BENCHMARKS, 0.05, looks_at_data=False)
    pace = Pace(lambda _: 0.0)
    trial = Trial("default", Tuning(), (Cell(IMPLEMENTATION, "bcast", 64, 4),))
    searched = Simulated(law, np.random.default_rng(0)).launch(trial)
    pace.add([timed(searched, 0.0, machine.cell_seconds)])
    end = machine.now + seconds
    validation = Validation(question, machine, pace, lambda: end, machine.clock)
    accepted = validation.run(found, lambda: None)
    return found[IMPLEMENTATION], accepted.get(IMPLEMENTATION)


def test_what_is_faster_is_kept_with_its_gain() -> None:
    machine = Machine()
    found, accepted = validated(Tuning(decisions=(decision("bcast", 4, FAST),)), 600.0, machine)
    assert found.tuning.decisions == (decision("bcast", 4, FAST),)
    assert accepted is not None and accepted.gain.ratio == pytest.approx(0.7, rel=0.02)
    assert [launches for _, launches in machine.asked] == [1, FIRST_LOOK - 1, FIRST_LOOK]
    placements = [{cell.placement for cell in cells} for cells, _ in machine.asked]
    assert placements == [{"block"}, {"block"}, {"cyclic"}], "what is required first, then the rest"


def test_where_there_is_no_time_for_all_rules_those_that_fit_are_validated() -> None:
    tuning = Tuning(decisions=(decision("bcast", 4, FAST), decision("reduce", 4, FAST)))
    for_one = SIDES * (LAUNCH_SECONDS + 2 * 10.0) * FIRST_LOOK
    machine = Machine(cell_seconds=10.0)
    found, accepted = validated(tuning, 1.2 * for_one, machine)
    assert accepted is not None and [one.operation for one in found.tuning.decisions] == ["bcast"]
    (reason,) = (one for one in found.reasons if one.subject.startswith("reduce"))
    assert "time" in reason.words
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
    assert set(times.values()) == {FIRST_LOOK}


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
        assert all("not measured, since the time was over" in reason.words for reason in found.reasons)
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
    machine.measure = lambda *_, **__: []  # type: ignore[method-assign]
    found, accepted = validated(Tuning(decisions=(decision("bcast", 4, FAST),)), 600.0, machine)
    assert found.tuning == Tuning() and accepted is None
