"""The search as a whole: stage after stage, each on top of what those before it have found."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain

from rankwise.analysis.tune.race import LARGE_ROUNDS, SearchCriteria
from rankwise.analysis.tune.search import Search
from rankwise.analysis.tune.setting_search import SettingSearch
from rankwise.analysis.tunings import merged
from rankwise.analysis.validation.evidence import FIRST_LOOK
from rankwise.core.records import DEFAULT, Cell, Launch
from rankwise.core.tuning import Tuning
from rankwise.core.units import format_duration
from rankwise.measurement.plan import round_seconds, together
from rankwise.workflows.events import Events, warn
from rankwise.workflows.prepare import Built
from rankwise.workflows.tune import host_search
from rankwise.workflows.tune.budget import (
    MOST_FIRST_LOOK_SHARE,
    Pace,
    PunctualLaunching,
    share_of_first,
    validation_part,
)
from rankwise.workflows.tune.bundles import (
    VISIT_SECONDS,
    VISIT_SECONDS_BETWEEN_HOSTS,
    bundled,
    most_cells,
    visits,
)
from rankwise.workflows.tune.found import Found, beyond
from rankwise.workflows.tune.stages import (
    HOST_STAGE,
    NETWORK_STAGE,
    PAUSES_STAGE,
    STAGES,
    SURVEY,
    Stage,
    Target,
    TuneSpec,
)
from rankwise.workflows.tune.trials import Keep, Trials, carry_out
from rankwise.workflows.tune.validation_cells import likely_tuning, validation_cells

ORDER = (HOST_STAGE, SURVEY, STAGES[1].name, PAUSES_STAGE, NETWORK_STAGE)
"""Of the first stages; the others follow as they stand."""
ROUNDS = 4
"""That a search takes, each like the first: there are more of them, with fewer and fewer trials."""
VALIDATION_LAUNCHES = 5
"""Of every cell of the validation, by default and tuned each: about what it takes where times are steady, with the
one that looks at data. A gain of a fifth shows in four, what is as good as the default in six to twelve."""


@dataclass(frozen=True, slots=True)
class StageSearches:
    """The searches of one stage, by implementation."""

    name: str
    seconds: float
    """That it takes, roughly ..."""
    validation_seconds: float
    """... and the validation of what it may find."""
    searches: dict[str, list[Sequence[Search]]]
    """In groups, as `carry_out` takes them."""
    time_factor: float = 1.0
    """How many times its share it may take. What is left of that goes to those after it."""
    where_changed: str = ""
    """Only for implementations of which those before it have set a knob whose name starts so."""
    stage: Stage | None = None
    """Whose searches are made anew when it is its turn, since they depend on what those before it have found."""

    @property
    def needed_seconds(self) -> float:
        """For both."""
        return self.seconds + self.validation_seconds

    @property
    def hopeless_seconds(self) -> float:
        """With less not even a large gain can be found and validated, in any of its groups."""
        whole = LARGE_ROUNDS / ROUNDS * self.seconds + FIRST_LOOK / VALIDATION_LAUNCHES * self.validation_seconds
        return whole / max(sum(map(len, self.searches.values())), 1)

    @property
    def least_seconds(self) -> float:
        """With less little can be found and validated."""
        rounds = SearchCriteria().min_rounds / ROUNDS
        return rounds * self.seconds + FIRST_LOOK / VALIDATION_LAUNCHES * self.validation_seconds


@dataclass(frozen=True, slots=True)
class Turn:
    """The next stage, and its time, in seconds of the clock."""

    stage: StageSearches
    search_end: float
    latest_search_end: float
    """Of a search that could conclude nothing yet."""
    end: float
    """Of its validation."""


def turn(stages: Sequence[StageSearches], now: float, finish: float) -> Turn:
    """Return the turn of the first of these stages.

    Stages share the time as `share_of_first` has it, each with its validation, which has a part of that from the
    beginning. A search that could not conclude anything yet may go on until the validation has the time of a first
    look. One that will not come that far is not begun: what is open already has the time.
    """
    left, first = max(finish - now, 0.0), stages[0]
    if left < first.hopeless_seconds:
        return Turn(first, now, now, now)
    own_seconds = min(first.time_factor * share_of_first([stage.needed_seconds for stage in stages], left), left)
    search_end = now + own_seconds - validation_part(first.validation_seconds, own_seconds)
    first_look = validation_part(
        FIRST_LOOK / VALIDATION_LAUNCHES * first.validation_seconds, left, MOST_FIRST_LOOK_SHARE
    )
    return Turn(first, search_end, max(search_end, finish - first_look), now + own_seconds)


class StagedSearch:
    """All stages for all implementations, on a testbed that is up: one at a time, in between is validated."""

    def __init__(
        self,
        built: Built,
        launching: PunctualLaunching,
        target: Target,
        spec: TuneSpec,
        keep: Keep,
        events: Events,
        pace: Pace,
        earlier: Sequence[Launch] = (),
    ) -> None:
        """`pace`: what launches take, which these and others teach it."""
        self._built, self._launching, self._target, self._spec = built, launching, target, spec
        self._keep, self._events, self._pace, self._earlier = keep, events, pace, earlier
        self._later_pace = Pace(target.delay_seconds, target.unbound_byte_seconds)
        """Of stages that come after those of the hosts."""
        self._left: list[StageSearches] = []

    def begin(self, results: Mapping[str, Found], done: Collection[str], seconds: float) -> None:
        """Make the searches of all stages but those `done`; what `seconds` do not hold is said."""
        stages = [stage for stage in self._stages(results) if stage.name not in done]
        if sum(stage.needed_seconds for stage in stages if stage.name != SURVEY) <= seconds:
            stages = [stage for stage in stages if stage.name != SURVEY]
        self._left = stages
        due = [due_stage for due_stage in (self._due(stage, results) for stage in stages) if due_stage.searches]
        if not done:
            self._warn(due, seconds)

    def next_turn(self, results: Mapping[str, Found], now: float, finish: float) -> Turn | None:
        """Return the next stage that has anything to ask, with its time; None: there is none."""
        while self._left:
            needed = [self._due(stage, results) for stage in self._left]
            first = self._due(self._anew(self._left.pop(0), results), results)
            if first.searches:
                return turn([first, *needed[1:]], now, finish)
        return None

    def search(self, now: Turn, results: Mapping[str, Found]) -> dict[str, Found]:
        """Return what is found, with what this stage proposes on top of it.

        A round may remain incomplete when the time is over, which then counts for nothing.
        """
        stage = now.stage
        self._launching.end = now.latest_search_end
        trials = Trials(
            self._launching, self._built.ready, {name: result.proposed for name, result in results.items()},
            self._keep, stage.name, self._earlier, self._visit_seconds(), self._target.topology,
        )  # fmt: skip
        with self._events.busy(f"{stage.name}: beginning") as update:
            done = carry_out(
                stage.searches, trials, now.search_end, lambda text: update(f"{stage.name}: {text}"),
                latest=now.latest_search_end, least_rounds=self._least_rounds(stage),
            )  # fmt: skip
        self._events.say(f"{stage.name}: {trials.launched} launches{'' if done else ', out of time'}")
        after = dict(results)
        for implementation, own in stage.searches.items():
            after[implementation] = told(results[implementation], own, trials.launched_of(implementation))
        if stage.name.startswith(HOST_STAGE):
            (first,) = stage.searches
            after = {name: _as_hosts(result, results[first], after[first]) for name, result in after.items()}
        return after

    def _least_rounds(self, stage: StageSearches) -> int:
        """With fewer nothing can be concluded."""
        searches = chain.from_iterable(own for groups in stage.searches.values() for own in groups)
        are_settings = all(isinstance(search, SettingSearch) for search in searches)
        return LARGE_ROUNDS if are_settings else self._spec.criteria.min_rounds

    def _due(self, stage: StageSearches, results: Mapping[str, Found]) -> StageSearches:
        """With the implementations that it is for by now."""
        if not stage.where_changed:
            return stage
        changed = {
            name for name, result in results.items()
            if any(setting.knob.startswith(stage.where_changed) for setting in result.proposed.settings)
        }  # fmt: skip
        searches = {name: own for name, own in stage.searches.items() if name in changed}
        return self._searches(stage.name, searches, stage.where_changed)

    def _anew(self, stage: StageSearches, results: Mapping[str, Found]) -> StageSearches:
        """With searches that know what has been found by now, where they depend on it."""
        if stage.stage is None:
            return stage
        return self._searches(stage.name, self._made(stage.stage, results), stage.where_changed)

    def _made(self, stage: Stage, results: Mapping[str, Found]) -> dict[str, list[Sequence[Search]]]:
        """The searches of a stage, for those implementations that it has anything to ask of."""
        made = {
            name: [*stage.searches(
                ready.implementation, self._built.menu[ready.implementation.id], self._target,
                replace(self._spec, found=results[name].proposed),
            )]
            for name, ready in self._built.ready.items()
        }  # fmt: skip
        return {name: groups for name, groups in made.items() if groups}

    def _stages(self, results: Mapping[str, Found]) -> list[StageSearches]:
        """Those that have anything to ask, what gains most often first.

        Eager messages save two crossings of a link; other frames and congestion controls gain little, if at all.
        """
        implementations = [ready.implementation for ready in self._built.ready.values()]
        first = implementations[0].id  # only carries the raw TCP
        of_hosts = host_search.host_searches(self._target, first, self._spec)
        stages = [
            replace(self._searches(name, {first: [own]}), time_factor=host_search.TIME_FACTOR)
            for name, own in of_hosts.items()
        ]
        for stage in STAGES:
            made = self._searches(stage.name, self._made(stage, results), stage.where_changed)
            factor = host_search.TIME_FACTOR if stage.name == SURVEY else 1.0
            stages.append(replace(made, stage=stage if stage.follows else None, time_factor=factor))
        stages.sort(
            key=lambda stage_searches: (
                ORDER.index(stage_searches.name) if stage_searches.name in ORDER else len(ORDER)
            )
        )
        return [stage for stage in stages if stage.searches]

    def _searches(
        self, name: str, searches: dict[str, list[Sequence[Search]]], where_changed: str = ""
    ) -> StageSearches:
        visit_seconds = self._visit_seconds()
        most = most_cells(self._launching.limit_seconds, visit_seconds)
        bundles = [
            bundle.cells() * (visits(len(bundle.cells()), visit_seconds) if bundle.candidates else 1)
            for implementation, groups in searches.items()
            for own in groups
            for bundle in bundled(own, self._built.ready[implementation].implementation, most)
        ]
        one_round = sum(self._seconds(name, (replace(cell, label="") for cell in cells)) for cells in bundles)
        one_round += sum(host_search.own_seconds(self._target, cell) for cells in bundles for cell in cells)
        validation = self._validation_seconds(name, searches) if bundles else 0.0
        return StageSearches(name, ROUNDS * one_round, validation, searches, where_changed=where_changed)

    def _visit_seconds(self) -> float:
        """What a visit to a cell takes before any was made, rather too much: a launch must end in time."""
        longest = max(map(self._target.delay_seconds, self._target.placements), default=0.0)
        return max(
            VISIT_SECONDS_BETWEEN_HOSTS if self._target.topology else VISIT_SECONDS,
            round_seconds(1, 0, longest, brief=True),
        )

    def _validation_seconds(self, stage: str, implementations: Iterable[str]) -> float:
        """If something is found for every implementation that is asked; settings of hosts are every one's."""
        names = self._built.ready if stage.startswith(HOST_STAGE) else implementations
        cells = [
            replace(each.cell, label=label)
            for name in names
            for each in validation_cells(
                self._built.ready[name].implementation, self._built.menu[name], self._target, self._spec,
                likely_tuning(self._spec, stage),
            )
            if each.is_required
            for label in (DEFAULT, "tuned")
        ]  # fmt: skip
        return VALIDATION_LAUNCHES * self._seconds(stage, cells)

    def _seconds(self, stage: str, cells: Iterable[Cell]) -> float:
        """What launching all of these once takes, roughly."""
        pace = self._pace if stage.startswith(HOST_STAGE) else self._later_pace
        groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for cell in cells:
            groups[together(cell)].append(cell)
        return sum(map(pace.launch_seconds, groups.values()))

    def _warn(self, stages: Sequence[StageSearches], seconds: float) -> None:
        """Better said before."""
        needed = sum(stage.needed_seconds for stage in stages)
        if needed <= seconds:
            return
        fits = accumulate((stage.least_seconds for stage in stages), initial=0.0)
        left_out = [stage.name for stage, end in zip(stages, [*fits][1:], strict=True) if end > seconds]
        what = "less will be found significant"
        if left_out:
            what = f"if all find something, {', '.join(left_out)} will be left out or cut short"
        warn(
            self._events,
            f"searching and validating all takes about {format_duration(needed)}, and there are "
            f"{format_duration(seconds)}: {what}; --time {math.ceil(needed / 60)}m holds all, or name fewer MPIs, "
            "operations (--for) or ranks (-n)",
        )


def told(result: Found, groups: Sequence[Sequence[Search]], launches: int) -> Found:
    """Return what is found with the best of these on top; what was asked before is answered again."""
    proposed, reasons, exhaustive = result.proposed, result.reasons, result.exhaustive_launches
    for search in chain.from_iterable(groups):
        proposed, new = merged(proposed, search.best()), search.reasons()
        again = {reason.subject for reason in new}
        reasons = (*(reason for reason in reasons if reason.subject not in again), *new)
    for own in groups:  # those of one group share their launches, in this search and in the exhaustive one
        exhaustive += max((search.exhaustive_launches() for search in own), default=0)
    return replace(
        result, proposed=proposed, reasons=reasons, launches=result.launches + launches,
        exhaustive_launches=exhaustive,
    )  # fmt: skip


def _as_hosts(result: Found, before: Found, after: Found) -> Found:
    """Kernel settings are every implementation's: with those that a stage found for the one that carried it."""
    new = beyond(after.proposed, before.proposed).host_settings
    known = {reason.subject for reason in result.reasons}
    reasons = tuple(reason for reason in after.reasons if reason.subject not in known)
    return replace(
        result, proposed=merged(result.proposed, Tuning(host_settings=new)), reasons=(*result.reasons, *reasons)
    )
