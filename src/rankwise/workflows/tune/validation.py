"""Validation: the default against what was found, on fresh launches, until what stays is shown to be no slower."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from rankwise.analysis.application import Application
from rankwise.analysis.tunings import with_reverted
from rankwise.analysis.validation.acceptance import Acceptance, Validated, accept
from rankwise.analysis.validation.acting import acting, acts, has_rule, rule_behind
from rankwise.analysis.validation.evidence import FIRST_LOOK
from rankwise.core.records import Benchmark, Cell, Launch
from rankwise.core.tuning import Reason, Tuning
from rankwise.measurement.plan import together
from rankwise.workflows.tune.budget import Clock, Pace
from rankwise.workflows.tune.search import Found
from rankwise.workflows.tune.validation_cells import Wanted

SIDES = 2
"""Default and tuned: launches for each group of cells in a round."""


class Rounds(Protocol):
    """What measures, as `StoredRuns` does."""

    def measure(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning], launches: int, seconds: float, *, data: bool
    ) -> list[Launch]:
        """Return launches of default and tuned in these cells; with `data` one more of each to look at these."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """What a validation has to know beside what was found."""

    name: str
    """The label of cells that load what was found."""
    cells_of: Callable[[str, Tuning], list[Wanted]]
    """For an implementation and a tuning."""
    benchmarks: Mapping[str, Benchmark]
    delta: float
    application: Application | None = None
    quantile: float = 0.5
    """Of a launch's repetitions, which is compared."""
    looks_at_data: bool = True
    """A launch more of each group of cells on which something new acts."""


@dataclass(frozen=True, slots=True)
class _Run:
    tunings: Mapping[str, Tuning]
    launches: Sequence[Launch]


@dataclass(frozen=True, slots=True)
class _Group:
    """Cells that share their launches, and how many more of these they are worth."""

    cells: tuple[Cell, ...]
    is_required: bool
    more: int
    round_seconds: float
    gains: Mapping[Cell, float]
    """The logarithm of how many times faster each seems so far; 0: not at all, or not known."""

    @property
    def order(self) -> tuple[float, int, float]:
        """What comes first: what gains most in its time, then fewer ranks, then what takes less."""
        seconds = max(self.more * self.round_seconds, 1e-9)
        return -sum(map(self.gain, self.cells)) / seconds, self.cells[0].ranks, seconds

    def gain(self, cell: Cell) -> float:
        """Return what is known of it."""
        return self.gains.get(cell, 0.0)


class Validation:
    """The validation of what one search has found."""

    def __init__(
        self,
        question: Question,
        rounds: Rounds,
        pace: Pace,
        deadline: Callable[[], float],
        clock: Clock = time.monotonic,
    ) -> None:
        """Nothing is begun that would end after `deadline`, as it is by then, in seconds of `clock`."""
        self._question, self._rounds, self._pace = question, rounds, pace
        self._deadline, self._clock = deadline, clock
        self._runs: list[_Run] = []
        self._measured: set[tuple[object, ...]] = set()
        """Cells with what acted on them; data are looked at in the first launches of each."""

    def run(self, found: Mapping[str, Found], express: Callable[[], None]) -> dict[str, Acceptance]:
        """Return what the launches say of those whose settings stay; `found` is left with what does.

        All required cells get one launch, which shows what they really take and gain, and then those of the first
        look, what gains most in its time before all else; then more go to those that are still open, as many as
        their noise so far lets expect to be enough; then cells that are not required have their turn. What is not
        shown when the time is over goes back to the default. `express` takes out of `found` what an implementation
        cannot load, after each return to it.
        """
        measured = True
        while measured:
            judged = {one: self._settled(one, mine, express) for one, mine in found.items() if _has_any(mine)}
            measured = self._measure_next(found, judged)
        accepted: dict[str, Acceptance] = {}
        for one, mine in found.items():
            if _has_any(mine):
                accepted[one] = self._concluded(one, mine, express)
                _drop_doubtful(mine, accepted[one])
        return {one: judged for one, judged in accepted.items() if _has_any(found[one])}

    def _settled(self, one: str, mine: Found, express: Callable[[], None]) -> Acceptance:
        """Judge with what was measured, until nothing more goes back because of it."""
        while True:
            wanted = [each.cell for each in self._question.cells_of(one, mine.tuning) if each.is_required]
            judged = self._judge(one, mine.tuning, wanted, is_over=False)
            if not _take_back(mine, judged, express):
                return judged

    def _concluded(self, one: str, mine: Found, express: Callable[[], None]) -> Acceptance:
        """Judge for good. Where a rule went back for want of time its cells are not asked for once more."""
        wanted = [each.cell for each in self._question.cells_of(one, mine.tuning) if each.is_required]
        while True:
            judged = self._judge(one, mine.tuning, wanted, is_over=True)
            if not _take_back(mine, judged, express):
                return judged
            wanted = [cell for cell in wanted if has_rule(mine.tuning, cell)]

    def _judge(self, one: str, tuning: Tuning, wanted: Sequence[Cell], *, is_over: bool) -> Acceptance:
        question = self._question
        runs = [
            [_that_count(launch, run.tunings[one], tuning) for launch in run.launches]
            for run in self._runs
            if one in run.tunings
        ]
        return accept(
            [[launch for launch in run if launch.series or launch.failures] for run in runs], question.benchmarks,
            Validated(one, question.name, tuning, tuple(wanted), question.quantile), delta=question.delta,
            application=question.application, is_over=is_over,
        )  # fmt: skip

    def _measure_next(self, found: Mapping[str, Found], judged: Mapping[str, Acceptance]) -> bool:
        """Measure what is most worth it; False if nothing is, or nothing more can be in time."""
        tunings = {one: found[one].tuning for one in judged if _has_any(found[one])}
        groups = [group for one in tunings for group in self._groups(one, tunings[one], judged[one])]
        required = [group for group in groups if group.is_required]
        is_first = not self._runs
        groups = sorted(required if is_first else required or groups, key=lambda group: group.order)
        launches = groups[0].more if groups else 0
        left = self._deadline() - self._clock()
        acted = {
            cell: (cell, acting(tunings[cell.implementation], cell)) for group in groups for cell in group.cells
        }
        looking = self._looks_at_data(acted.values()) / SIDES
        once = sum(group.round_seconds for group in groups) * (1 + looking)
        least = min((group.round_seconds * (group.more - 1) for group in groups), default=0.0)
        chosen = groups if is_first and once + least <= left else self._chosen(groups, tunings, left, looking)
        if not chosen:
            return False
        if is_first:
            launches = 1  # shows what they really take and gain
        cells = [cell for group in chosen for cell in group.cells]
        own = {one: tunings[one] for one in dict.fromkeys(cell.implementation for cell in cells)}
        data = self._looks_at_data(acted[cell] for cell in cells)
        self._measured |= {acted[cell] for cell in cells}
        new = self._rounds.measure(cells, own, launches, left, data=data)
        self._pace.add(new)
        self._runs.append(_Run(own, new))
        return any(launch.series for launch in new)

    def _looks_at_data(self, acted: Iterable[tuple[object, ...]]) -> bool:
        return self._question.looks_at_data and not self._measured.issuperset(acted)

    def _chosen(
        self, groups: Sequence[_Group], tunings: Mapping[str, Tuning], left: float, looking: float
    ) -> Sequence[_Group]:
        """The groups that have time together, in this order; of the first one at least what it has time for.

        `looking`: how much of a round the launches take that look at data.
        """
        chosen: list[_Group] = []
        for group in groups:
            seconds = left / (groups[0].more + looking) - sum(each.round_seconds for each in chosen)
            if group.more >= groups[0].more and group.round_seconds <= seconds:
                chosen.append(group)
            elif not chosen:
                chosen += self._most_worth(group, tunings, seconds)
        return chosen

    def _most_worth(self, group: _Group, tunings: Mapping[str, Tuning], round_seconds: float) -> list[_Group]:
        """The group with the cells of as many rules as a round has time for, those that gain most first; or none.

        What the others would have shown goes back to the default, instead of all of it.
        """
        tuning = tunings[group.cells[0].implementation]
        own: dict[tuple[object, ...], list[Cell]] = {}
        for cell in group.cells:
            own.setdefault((cell.benchmark, rule_behind(tuning, cell)), []).append(cell)
        cells: tuple[Cell, ...] = ()
        seconds = 0.0

        def order(cells: Sequence[Cell]) -> tuple[float, float]:
            alone = self._pace.launch_seconds(cells)
            return -sum(map(group.gain, cells)) / alone, alone

        for more in sorted(own.values(), key=order):
            needed = SIDES * self._pace.launch_seconds((*cells, *more))
            if needed > round_seconds:
                continue
            cells, seconds = (*cells, *more), needed
        return [replace(group, cells=cells, round_seconds=seconds)] if cells else []

    def _groups(self, one: str, tuning: Tuning, judged: Acceptance) -> list[_Group]:
        """What may still be measured of one implementation."""
        known = {each.cell: each for each in judged.evidence}
        more: dict[Cell, int] = {}
        required: set[Cell] = set()
        for each in self._question.cells_of(one, tuning):
            evidence = known.get(each.cell)
            if evidence:
                wanted = evidence.wanted - evidence.launches if evidence.state == "open" else 0
            else:
                wanted = 0 if (each.cell, acting(tuning, each.cell)) in self._measured else FIRST_LOOK
            if wanted > 0:
                more[each.cell] = wanted
                if each.is_required and acts(tuning, each.cell):
                    required.add(each.cell)
        kinds: dict[tuple[tuple[object, ...], bool], list[Cell]] = {}
        for cell in more:
            kinds.setdefault((together(cell), cell in required), []).append(cell)
        return [
            _Group(
                tuple(cells), is_required, min(more[cell] for cell in cells),
                SIDES * self._pace.launch_seconds(cells),
                {cell: max(-known[cell].log_ratio, 0.0) for cell in cells if cell in known},
            )
            for (_, is_required), cells in kinds.items()
        ]  # fmt: skip


def _has_any(mine: Found) -> bool:
    return mine.tuning != Tuning()


def _that_count(launch: Launch, measured: Tuning, now: Tuning) -> Launch:
    """The launch with those cells in which what was measured does the same as what is judged now."""

    def counts(cell: Cell) -> bool:
        return acting(measured, cell) == acting(now, cell)

    return replace(
        launch, series=tuple(one for one in launch.series if counts(one.cell)),
        failures=tuple(one for one in launch.failures if counts(one.cell)),
    )  # fmt: skip


def _take_back(mine: Found, judged: Acceptance, express: Callable[[], None]) -> bool:
    """Leave in `mine` what stays; False if all does."""
    if not judged.reverted:
        return False
    mine.tuning = judged.tuning
    mine.reasons = with_reverted(mine.reasons, judged.reverted)
    express()
    return True


def _drop_doubtful(mine: Found, judged: Acceptance) -> None:
    """Keep nothing of what was not shown to gain anything."""
    own = mine.tuning.settings or mine.tuning.decisions or not judged.verdicts
    # raw TCP has shown that host settings gain, and a gain after pauses shows in none of these cells
    why = judged.doubt if own else ""
    if _has_any(mine) and why:
        mine.tuning = Tuning()
        mine.reasons.append(Reason("everything", f"goes back to the default: {why}"))
