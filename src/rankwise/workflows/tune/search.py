"""The search as a whole: stage after stage, each on top of what those before it have found."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from rankwise.analysis.tune.search import Search
from rankwise.analysis.tunings import merged
from rankwise.analysis.validation.evidence import FIRST_LOOK
from rankwise.core.records import DEFAULT, Cell, Launch
from rankwise.core.tuning import Reason, Tuning
from rankwise.core.units import format_duration
from rankwise.measurement.plan import round_seconds, together
from rankwise.workflows.events import Events
from rankwise.workflows.prepare import Built
from rankwise.workflows.tune import host_search
from rankwise.workflows.tune.budget import MOST_FIRST_LOOK_SHARE, Budget, PunctualLaunching, share_of_first
from rankwise.workflows.tune.bundles import (
    VISIT_SECONDS,
    VISIT_SECONDS_BETWEEN_HOSTS,
    bundled,
    most_cells,
    visits,
)
from rankwise.workflows.tune.stages import STAGES, Stage, Target, TuneSpec
from rankwise.workflows.tune.trials import Keep, Trials, carry_out
from rankwise.workflows.tune.validation_cells import likely_tuning, validation_cells

ROUNDS = 4
"""That a search takes, each like the first: there are more of them, with fewer and fewer trials."""
VALIDATION_LAUNCHES = 5
"""Of every cell of the validation, by default and tuned each: about what it takes where times are steady, with the
one that looks at data. A gain of a fifth shows in four, what is as good as the default in six to twelve."""


@dataclass(slots=True)
class Found:
    """What the search has found for one implementation."""

    tuning: Tuning = field(default=Tuning())
    reasons: list[Reason] = field(default_factory=list)
    launches: int = 0
    exhaustive_launches: int = 0

    def take(self, groups: Sequence[Sequence[Search]], launches: int) -> None:
        """Put the best of these on top of what there is; what was asked before is answered again."""
        for search in chain.from_iterable(groups):
            self.tuning = merged(self.tuning, search.best())
            told = search.reasons()
            again = {reason.subject for reason in told}
            self.reasons = [*(reason for reason in self.reasons if reason.subject not in again), *told]
        for own in groups:  # those of one group share their launches, in this search and in the exhaustive one
            self.exhaustive_launches += max((search.exhaustive_launches() for search in own), default=0)
        self.launches += launches


@dataclass(frozen=True, slots=True)
class _StageSearches:
    """The searches of one stage, by implementation."""

    name: str
    seconds: float
    """That it takes, roughly."""
    searches: dict[str, list[Sequence[Search]]]
    """In groups, as `carry_out` takes them."""
    time_factor: float = 1.0
    """How many times its share it may take. What is left of that goes to those after it."""
    where_changed: str = ""
    """Only for implementations of which those before it have set a knob whose name starts so."""
    stage: Stage | None = None
    """Whose searches are made anew when it is its turn, since they depend on what those before it have found."""


class StagedSearch:
    """All stages for all implementations, on a testbed that is up."""

    def __init__(
        self,
        built: Built,
        launching: PunctualLaunching,
        target: Target,
        spec: TuneSpec,
        keep: Keep,
        events: Events,
        earlier: Sequence[Launch] = (),
    ) -> None:
        self._built, self._launching, self._target, self._spec = built, launching, target, spec
        self._keep, self._events, self._earlier = keep, events, earlier
        self._found = {one: Found() for one in built.ready}

    def run(self, budget: Budget) -> dict[str, Found]:
        """Return what is found in the time that the validation leaves of `budget`, by implementation.

        Stages share it as `share_of_first` has it, and the implementations within each alike. A search that could
        not conclude anything yet may go on until the validation has the time of a first look; no launch goes on
        longer, so that a round may remain incomplete, which then counts for nothing.
        """
        stages = self._stages()
        validation = self._validation_seconds()
        finish = budget.began + budget.seconds
        self._warn(self._seconds(map(self._due, stages)) + validation, finish - budget.clock())
        end = finish - budget.validation_seconds(validation)
        first_look = FIRST_LOOK / VALIDATION_LAUNCHES * validation
        latest = finish - budget.validation_seconds(first_look, MOST_FIRST_LOOK_SHARE)
        while stages:
            needed = [self._due(stage).seconds for stage in stages]
            first, now = self._due(self._anew(stages.pop(0))), budget.clock()
            if first.searches:
                by, by_latest = (
                    now + min(first.time_factor * share_of_first(needed, max(one - now, 0.0)), one - now)
                    for one in (end, latest)
                )
                self._launching.end = by_latest
                self._carry_out(first, by, by_latest)
        return self._found

    def _due(self, stage: _StageSearches) -> _StageSearches:
        """With the implementations that it is for by now."""
        if not stage.where_changed:
            return stage
        changed = {
            one for one, mine in self._found.items()
            if any(setting.knob.startswith(stage.where_changed) for setting in mine.tuning.settings)
        }  # fmt: skip
        asked = {one: own for one, own in stage.searches.items() if one in changed}
        return self._searches(stage.name, asked, stage.where_changed)

    def _anew(self, stage: _StageSearches) -> _StageSearches:
        """With searches that know what has been found by now, where they depend on it."""
        if stage.stage is None:
            return stage
        return self._searches(stage.name, self._made(stage.stage), stage.where_changed)

    def _made(self, stage: Stage) -> dict[str, list[Sequence[Search]]]:
        """The searches of a stage, for those implementations that it has anything to ask of."""
        made = {
            one: [*stage.searches(
                ready.implementation, self._built.menu[ready.implementation.id], self._target,
                replace(self._spec, found=self._found[one].tuning),
            )]
            for one, ready in self._built.ready.items()
        }  # fmt: skip
        return {one: groups for one, groups in made.items() if groups}

    @staticmethod
    def _seconds(stages: Iterable[_StageSearches]) -> float:
        return sum(stage.seconds for stage in stages)

    def _stages(self) -> list[_StageSearches]:
        """Those that have anything to ask."""
        implementations = [ready.implementation for ready in self._built.ready.values()]
        first = implementations[0].id  # only carries the raw TCP
        of_hosts = host_search.host_searches(self._target, first, self._spec)
        stages = [
            replace(self._searches(name, {first: [own]}), time_factor=host_search.TIME_FACTOR)
            for name, own in of_hosts.items()
        ]
        for stage in STAGES:
            made = self._searches(stage.name, self._made(stage), stage.where_changed)
            stages.append(replace(made, stage=stage if stage.follows else None))
        return [stage for stage in stages if stage.searches]

    def _searches(
        self, name: str, searches: dict[str, list[Sequence[Search]]], where_changed: str = ""
    ) -> _StageSearches:
        visit_seconds = self._visit_seconds()
        most = most_cells(self._launching.limit_seconds, visit_seconds)
        bundles = [
            bundle.cells() * (visits(len(bundle.cells()), visit_seconds) if bundle.candidates else 1)
            for one, groups in searches.items()
            for own in groups
            for bundle in bundled(own, self._built.ready[one].implementation, most)
        ]
        one_round = sum(
            self._round_seconds((replace(cell, label="") for cell in cells), brief=True) for cells in bundles
        )
        one_round += sum(host_search.own_seconds(self._target, cell) for cells in bundles for cell in cells)
        return _StageSearches(name, ROUNDS * one_round, searches, where_changed=where_changed)

    def _visit_seconds(self) -> float:
        """What a visit to a cell takes before any was made, rather too much: a launch must end in time."""
        longest = max(map(self._target.delay_seconds, self._target.placements), default=0.0)
        return max(
            VISIT_SECONDS_BETWEEN_HOSTS if self._target.topology else VISIT_SECONDS,
            round_seconds(1, 0, longest, brief=True),
        )

    def _validation_seconds(self) -> float:
        """If something is found for every implementation."""
        cells = [
            replace(one.cell, label=label)
            for ready in self._built.ready.values()
            for one in validation_cells(
                ready.implementation, self._built.menu[ready.implementation.id], self._target, self._spec,
                likely_tuning(self._spec),
            )
            if one.is_required
            for label in (DEFAULT, "tuned")
        ]  # fmt: skip
        return VALIDATION_LAUNCHES * self._round_seconds(cells)

    def _round_seconds(self, cells: Iterable[Cell], *, brief: bool = False) -> float:
        """What launching all of these once takes, roughly."""
        groups = Counter((together(cell), self._target.delay_seconds(cell.placement)) for cell in cells)
        return sum(round_seconds(count, 1, delay, brief=brief) for (_, delay), count in groups.items())

    def _warn(self, needed_seconds: float, seconds: float) -> None:
        """Better said before."""
        if needed_seconds > seconds:
            wanted = math.ceil(needed_seconds / 60)
            self._events.say(
                f"warning: this takes about {format_duration(needed_seconds)}, and there are "
                f"{format_duration(seconds)}: less will be found for certain; --time {wanted}m, or fewer MPIs, "
                "operations (--for) or ranks (-n)"
            )

    def _carry_out(self, stage: _StageSearches, deadline: float, latest: float) -> None:
        bases = {one: mine.tuning for one, mine in self._found.items()}
        trials = Trials(
            self._launching, self._built.ready, bases, self._keep, stage.name, self._earlier,
            self._visit_seconds(), self._target.topology,
        )  # fmt: skip
        with self._events.busy(f"{stage.name}: beginning") as update:
            done = carry_out(
                stage.searches, trials, deadline, lambda now: update(f"{stage.name}: {now}"),
                latest=latest, least_rounds=self._spec.criteria.min_rounds,
            )  # fmt: skip
        for one, own in stage.searches.items():
            self._found[one].take(own, trials.launched_of(one))
        if stage.name.startswith(host_search.STAGE):
            self._for_all(next(iter(stage.searches)))
        self._events.say(f"{stage.name}: {trials.launched} launches{'' if done else ', the time was over'}")

    def _for_all(self, first: str) -> None:
        """Kernel settings are every implementation's."""
        chosen = self._found[first]
        for one in self._found.values():
            one.tuning = replace(one.tuning, host_settings=chosen.tuning.host_settings)
            one.reasons = list(chosen.reasons)
