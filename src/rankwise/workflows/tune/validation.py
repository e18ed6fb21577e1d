"""Validation: the default against what was found, on fresh launches, until what stays is shown to be no slower."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, Protocol

from rankwise.analysis.application import Application
from rankwise.analysis.tunings import with_reverted
from rankwise.analysis.validation.acceptance import Acceptance, Validated, accept
from rankwise.analysis.validation.acting import acting, acts, has_rule, rule_behind
from rankwise.analysis.validation.evidence import FEW, FIRST_LOOK
from rankwise.analysis.validation.increments import in_all, with_untouched
from rankwise.core.records import DEFAULT, Benchmark, Cell, Launch
from rankwise.core.tuning import Reason, Tuning
from rankwise.measurement.plan import together
from rankwise.workflows.tune.budget import Clock, Pace
from rankwise.workflows.tune.found import Found, ValidationRun, beyond
from rankwise.workflows.tune.validation_cells import Wanted

EARLY = FEW
"""Launches of a cell on either side that show a large gain if there is one. With more it waits for its turn: what
varies so much may be shown on top of what the next stage finds."""
SIDES = 2
"""Default and tuned: launches for each group of cells in a round."""


class Rounds(Protocol):
    """What measures, as `StoredRuns` does."""

    def measure(
        self, cells: Sequence[Cell], tunings: Mapping[str, Tuning], bases: Mapping[str, Tuning], launches: int,
        seconds: float, *, data: bool,
    ) -> tuple[int, list[Launch]]:  # fmt: skip
        """Return the run, and its launches of both sides; with `data` one more of the tuned to look at these.

        Cells with what `bases` has carry the default's label.
        """
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """What a validation has to know beside what was found."""

    name: str
    """The label of cells that load what was found."""
    cells_of: Callable[[str, Tuning], list[Wanted]]
    """For an implementation and a tuning."""
    express: Callable[[str, Tuning], tuple[Tuning, tuple[Reason, ...]]]
    """What an implementation can load of a tuning, and why not the rest."""
    benchmarks: Mapping[str, Benchmark]
    delta: float
    application: Application | None = None
    quantile: float = 0.5
    """Of a launch's repetitions, which is compared."""
    looks_at_data: bool = True
    """A launch more of each group of cells on which something new acts."""


@dataclass(frozen=True, slots=True)
class _Run:
    run: ValidationRun
    launches: Sequence[Launch]


@dataclass(frozen=True, slots=True)
class _Group:
    """Cells that share their launches, and how many more of these they are worth."""

    cells: tuple[Cell, ...]
    is_required: bool
    more: int
    is_early: bool
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
    """The validation of what one tuning finds, stage by stage."""

    def __init__(
        self,
        question: Question,
        rounds: Rounds,
        pace: Pace,
        clock: Clock = time.monotonic,
        earlier: Iterable[tuple[ValidationRun, Sequence[Launch]]] = (),
    ) -> None:
        """`earlier`: what was measured before an interruption."""
        self._question, self._rounds, self._pace, self._clock = question, rounds, pace, clock
        self._runs = [_Run(run, launches) for run, launches in earlier]
        self._measured: set[tuple[object, ...]] = set()
        """Cells with what acted on them; data are looked at in the first launches of each."""

    @property
    def runs(self) -> tuple[ValidationRun, ...]:
        """All so far, in order."""
        return tuple(measured.run for measured in self._runs)

    def run(self, results: Mapping[str, Found], deadline: float, latest: float = 0.0) -> dict[str, Found]:
        """Return what is found with that validated which the launches show, beside what is validated already.

        All required cells get one launch, which shows what they really take and gain, and then those of the first
        look, what gains most in its time before all else; then more go to those that are still open, as many as
        their noise so far lets expect to be enough; then cells that are not required have their turn. What is
        shown to be slower goes back; what is not shown when the time is over remains proposed.

        Nothing is begun that would end after `deadline`, in seconds of the clock, or after `latest`, if that is
        later, where a required cell has not had EARLY launches: what is found comes before what may be found.
        """
        now, is_first, measured = dict(results), True, True
        while measured:
            judged: dict[str, Acceptance] = {}
            for implementation, result in now.items():
                if result.is_open:
                    now[implementation], judged[implementation] = self._settled(implementation, result)
            measured = self._measure_next(now, judged, deadline, max(deadline, latest), is_first=is_first)
            is_first = False
        return {
            name: self._concluded(name, settled) if settled.is_open else settled for name, settled in now.items()
        }

    def look_for_harm(self, results: Mapping[str, Found], deadline: float) -> dict[str, Found]:
        """Return what is validated without what is shown to be slower where nothing should act.

        Once, in the end, of everything together, beside the default: it costs as much as a step's validation, and
        finds little. What a setting was validated on top of stays when it goes back, if there is time to look.
        """
        now, measured = dict(results), True
        reduced: set[str] = set()
        while measured:
            judged: dict[str, Acceptance] = {}
            for implementation, result in now.items():
                if result.increments:
                    now[implementation], judged[implementation] = self._without_harm(implementation, result)
                    reduced |= {implementation} if now[implementation] is not result else set()
            whole = {name: Found(proposed=now[name].tuning) for name in judged if now[name].increments}
            groups = [
                group
                for name, proposal in whole.items()
                for group in self._groups(name, proposal, judged[name], "harm")
            ]
            groups = sorted(groups, key=lambda group: group.order)
            left = deadline - self._clock()
            chosen = self._chosen(groups, whole, left, 0.0) if groups else ()
            measured = bool(chosen) and self._measure(chosen, whole, groups[0].more, left, data=False)
        for implementation in reduced:
            if now[implementation].increments and not any(
                each.launches
                for each in self._judge(
                    implementation, Tuning(), now[implementation].tuning, (), is_over=False
                ).evidence
                if each.cell in self._untouched(implementation, now[implementation].tuning)
            ):  # what is left was never looked at
                now[implementation] = replace(
                    now[implementation], tuning=Tuning(), proposed=Tuning(), increments=()
                )
        return now

    def harm_seconds(self, results: Mapping[str, Found]) -> float:
        """Return what looking for harm takes, roughly."""
        return sum(
            FIRST_LOOK * SIDES * self._pace.launch_seconds(cells)
            for name, result in results.items()
            for cells in _together(self._untouched(name, result.proposed)).values()
        )

    def needed_seconds(self, implementation: str, result: Found) -> float:
        """Return what the launches take that may show what is open, roughly."""
        judged = self._judge(
            implementation,
            result.tuning,
            result.proposed,
            self._required(implementation, result.tuning, result.proposed),
            is_over=False,
        )
        groups = self._groups(implementation, result, judged)
        return sum(group.more * group.round_seconds for group in groups if group.is_required)

    def acceptance(self, implementation: str, base: Tuning, tuning: Tuning) -> Acceptance:
        """Return what all launches so far say of a tuning beside what was validated before it."""
        return self._judge(
            implementation, base, tuning, self._required(implementation, base, tuning), is_over=False
        )

    def accepted(self, implementation: str, result: Found) -> Acceptance:
        """Return what all launches so far say of what is validated, step by step, and where nothing should act."""
        steps = in_all(
            [self.acceptance(implementation, *step) for step in pairwise((Tuning(), *result.increments))]
        )
        if len(result.increments) == 1:
            return steps
        return with_untouched(
            steps,
            self.acceptance(implementation, Tuning(), result.tuning),
            self._untouched(implementation, result.tuning),
        )

    def _without_harm(self, implementation: str, result: Found) -> tuple[Found, Acceptance]:
        """Judge with what was measured; where it shows harm, what was validated before that remains."""
        while True:
            judged = self._judge(implementation, Tuning(), result.tuning, (), is_over=False)
            if not judged.reverted or not result.increments:
                return result, judged
            lost = [beyond(step, judged.tuning) != Tuning() for step in result.increments]
            steps = result.increments[: lost.index(True)]
            left = steps[-1] if steps else Tuning()
            reasons = tuple(with_reverted(result.reasons, judged.reverted))
            result = replace(result, tuning=left, proposed=left, increments=steps, reasons=reasons, missing=())

    def _untouched(self, implementation: str, tuning: Tuning) -> tuple[Cell, ...]:
        return tuple(each.cell for each in self._question.cells_of(implementation, tuning) if each.is_harm_check)

    def _settled(self, implementation: str, result: Found) -> tuple[Found, Acceptance]:
        """Judge with what was measured, until nothing more goes back because of it."""
        while True:
            wanted = self._required(implementation, result.tuning, result.proposed)
            judged = self._judge(implementation, result.tuning, result.proposed, wanted, is_over=False)
            if not judged.reverted or not result.is_open:
                return result, judged
            left, why_not = self._question.express(implementation, judged.tuning)
            reasons = tuple(with_reverted(result.reasons, (*judged.reverted, *why_not)))
            result = replace(result, proposed=left, reasons=reasons)

    def _concluded(self, implementation: str, result: Found) -> Found:
        """Judge for now. Where a rule goes back for want of time its cells are not asked for once more."""
        base, left, missing = result.tuning, result.proposed, list[Reason]()
        wanted = self._required(implementation, base, left)
        while True:
            judged = self._judge(implementation, base, left, wanted, is_over=True)
            if not judged.reverted or left == base:
                break
            missing += judged.reverted
            left, _ = self._question.express(implementation, judged.tuning)
            wanted = [cell for cell in wanted if has_rule(left, cell)]
        own = (left.settings, left.decisions) != (base.settings, base.decisions) or not judged.verdicts
        # raw TCP has shown that host settings gain, and a gain after pauses shows in none of these cells
        if left != base and own and judged.doubt:
            if left == result.proposed:
                reason = Reason(self._what(left, base), f"goes back to the default: {judged.doubt}")
                return replace(
                    result, proposed=base, missing=(), reasons=tuple(with_reverted(result.reasons, [reason]))
                )
            left = base
        increments = result.increments if left == base else (*result.increments, left)
        return replace(result, tuning=left, increments=increments, missing=tuple(missing))

    @staticmethod
    def _what(tuning: Tuning, base: Tuning) -> str:
        """The one thing that is new, or `everything`."""
        new = beyond(tuning, base)
        names = {setting.knob for setting in new.settings} | {
            f"{decision.operation} at {decision.ranks} ranks" for decision in new.decisions
        }
        return names.pop() if len(names) == 1 and not new.host_settings else "everything"

    def _required(self, implementation: str, base: Tuning, tuning: Tuning) -> list[Cell]:
        return [
            each.cell for each in self._question.cells_of(implementation, beyond(tuning, base)) if each.is_required
        ]

    def _judge(
        self, implementation: str, base: Tuning, tuning: Tuning, wanted: Sequence[Cell], *, is_over: bool
    ) -> Acceptance:
        question, untouched = self._question, self._untouched(implementation, beyond(tuning, base))
        runs = [
            [_that_count(launch, each.run, implementation, base, tuning) for launch in each.launches]
            for each in self._runs
            if implementation in each.run.tunings
        ]
        return accept(
            [[launch for launch in run if launch.series or launch.failures] for run in runs], question.benchmarks,
            Validated(implementation, question.name, tuning, tuple(wanted), question.quantile, untouched, base),
            delta=question.delta, application=question.application, is_over=is_over,
        )  # fmt: skip

    def _measure_next(
        self, results: Mapping[str, Found], judged: Mapping[str, Acceptance], deadline: float, latest: float,
        *, is_first: bool,
    ) -> bool:  # fmt: skip
        """Measure what is most worth it; False if nothing is, or nothing more can be in time."""
        open_ones = {name: results[name] for name in judged if results[name].is_open}
        now = self._clock()

        def end(group: _Group) -> float:
            return latest if group.is_early else deadline

        groups = [
            group for name, result in open_ones.items() for group in self._groups(name, result, judged[name])
        ]
        required = [group for group in groups if group.is_required]
        groups = sorted(required if is_first else required or groups, key=lambda group: group.order)
        if not is_first:
            groups = [group for group in groups if now + group.round_seconds <= end(group)]
        launches = groups[0].more if groups else 0
        left = end(groups[0]) - now if groups else 0.0
        acted = {cell: self._key(open_ones[cell.implementation], cell) for group in groups for cell in group.cells}
        touching = [cell for cell in acted if _may_spoil_data(open_ones[cell.implementation])]
        looking = self._looks_at_data(acted[cell] for cell in touching) / SIDES
        once = sum(group.round_seconds for group in groups) * (1 + looking)
        least = min((group.round_seconds * (group.more - 1) for group in groups), default=0.0)
        chosen = groups if is_first and once + least <= left else self._chosen(groups, open_ones, left, looking)
        if not chosen:
            return False
        if is_first:
            launches = 1  # shows what they really take and gain
        data = self._looks_at_data(acted[cell] for group in chosen for cell in group.cells if cell in touching)
        return self._measure(chosen, open_ones, launches, left, data=data)

    def _measure(
        self, groups: Sequence[_Group], results: Mapping[str, Found], launches: int, left: float, *, data: bool
    ) -> bool:
        """Launch these groups so often; False if that came to nothing."""
        cells = [cell for group in groups for cell in group.cells]
        own = {name: results[name] for name in dict.fromkeys(cell.implementation for cell in cells)}
        self._measured |= {self._key(own[cell.implementation], cell) for cell in cells}
        tunings = {name: result.proposed for name, result in own.items()}
        bases = {name: result.tuning for name, result in own.items()}
        run_id, new = self._rounds.measure(cells, tunings, bases, launches, left, data=data)
        self._pace.add(new)
        self._runs.append(_Run(ValidationRun(run_id, tunings, bases), new))
        return any(launch.series for launch in new)

    @staticmethod
    def _key(result: Found, cell: Cell) -> tuple[object, ...]:
        return cell, acting(result.proposed, cell), acting(result.tuning, cell)

    def _looks_at_data(self, acted: Iterable[tuple[object, ...]]) -> bool:
        return self._question.looks_at_data and not self._measured.issuperset(acted)

    def _chosen(
        self, groups: Sequence[_Group], results: Mapping[str, Found], left: float, looking: float
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
                chosen += self._most_worth(group, results, seconds)
        return chosen

    def _most_worth(self, group: _Group, results: Mapping[str, Found], round_seconds: float) -> list[_Group]:
        """The group with the cells of as many rules as a round has time for, those that gain most first; or none.

        What the others would have shown is not validated, instead of all of it.
        """
        tuning = results[group.cells[0].implementation].proposed
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

    def _groups(
        self, implementation: str, result: Found, judged: Acceptance, kind: Literal["gain", "harm"] = "gain"
    ) -> list[_Group]:
        """What may still be measured of one implementation."""
        known = {each.cell: each for each in judged.evidence}
        more: dict[Cell, int] = {}
        required: set[Cell] = set()
        for each in self._question.cells_of(implementation, beyond(result.proposed, result.tuning)):
            if each.is_harm_check != (kind == "harm"):
                continue
            evidence = known.get(each.cell)
            if evidence:
                wanted = evidence.wanted - evidence.launches if evidence.state == "open" else 0
            else:
                wanted = 0 if self._key(result, each.cell) in self._measured else FIRST_LOOK
            if wanted > 0:
                more[each.cell] = wanted
                if each.is_required and acts(result.proposed, each.cell, result.tuning):
                    required.add(each.cell)
        kinds = _together(more, required)
        return [
            _Group(
                tuple(cells), is_required, min(more[cell] for cell in cells),
                is_required and any(cell not in known or known[cell].launches < EARLY for cell in cells),
                SIDES * self._pace.launch_seconds(cells),
                {cell: max(-known[cell].log_ratio, 0.0) for cell in cells if cell in known},
            )
            for (_, is_required), cells in kinds.items()
        ]  # fmt: skip


def _together(
    cells: Iterable[Cell], required: Collection[Cell] = ()
) -> dict[tuple[tuple[object, ...], bool], list[Cell]]:
    """Cells that share their launches, those that are required by themselves."""
    kinds: dict[tuple[tuple[object, ...], bool], list[Cell]] = {}
    for cell in cells:
        kinds.setdefault((together(cell), cell in required), []).append(cell)
    return kinds


def _may_spoil_data(result: Found) -> bool:
    """Whether anything is new but settings of the hosts' kernels, which change no data."""
    new = beyond(result.proposed, result.tuning)
    return bool(new.settings or new.decisions)


def _that_count(launch: Launch, run: ValidationRun, implementation: str, base: Tuning, tuning: Tuning) -> Launch:
    """The launch with those cells in which what was measured does the same as what is judged now."""

    def counts(cell: Cell) -> bool:
        measured, now = (run.bases, base) if cell.label == DEFAULT else (run.tunings, tuning)
        return acting(measured[implementation], cell) == acting(now, cell)

    return replace(
        launch, series=tuple(series for series in launch.series if counts(series.cell)),
        failures=tuple(failure for failure in launch.failures if counts(failure.cell)),
    )  # fmt: skip
