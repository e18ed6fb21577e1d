"""Carries out searches: asks them for trials, launches these interleaved, and tells them how they went."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rankwise.analysis.compare.variants import cells_of, with_cells
from rankwise.analysis.tune.search import Search
from rankwise.analysis.tunings import merged
from rankwise.core.configuration import Configuration
from rankwise.core.errors import InputError
from rankwise.core.network import Topology
from rankwise.core.records import Cell, Launch, Segment
from rankwise.core.tuning import Tuning
from rankwise.measurement.launch import Launching, refused
from rankwise.measurement.runner import Ready
from rankwise.workflows.configurations import switching, tuned
from rankwise.workflows.tune.budget import Clock, TimeIsOverError
from rankwise.workflows.tune.bundles import VISIT_SECONDS, Bundle, bundled, most_cells, tunings_of, visits

Keep = Callable[[Launch, Sequence[Configuration]], None]
"""Stores a launch as soon as it ended, with the configurations that it and its cells name."""


class Trials:
    """Measures trials on a testbed that is up; every launch is kept as soon as it ends."""

    def __init__(
        self,
        launching: Launching,
        ready: Mapping[str, Ready],
        base: Mapping[str, Tuning],
        keep: Keep,
        stage: str,
        earlier: Iterable[Launch] = (),
        visit_seconds: float = VISIT_SECONDS,
        topology: Topology | None = None,
    ) -> None:
        """`base`: what is chosen already, by implementation; `stage` is stored with each launch.

        `topology`: the network that is written down for schedules.

        `visit_seconds`: what a visit to a cell takes, as far as one can guess before the first launch.

        `earlier`: the launches of an interrupted search, which are taken in place of new ones.
        """
        self._stage, self._topology = stage, topology
        self._launching, self._ready, self._base, self._keep = launching, ready, base, keep
        self._shuffle = {name: random.Random(name) for name in ready}
        """Each its own, so that an interrupted search goes on alike, whoever comes next."""
        self._earlier: defaultdict[tuple[str, str], list[Launch]] = defaultdict(list)
        for launch in earlier:
            key = launch.stage, launch.segments[0].configuration
            self._earlier[key].append(with_cells(launch, _asked))
        self._launched: Counter[str] = Counter()
        self._visit_seconds: defaultdict[str, float] = defaultdict(lambda: visit_seconds)
        """By implementation; of those that switch between candidates as seen."""

    @property
    def launched(self) -> int:
        """Launches so far, without those taken from an earlier search."""
        return self._launched.total()

    def launched_of(self, implementation: str) -> int:
        """Return those of one implementation."""
        return self._launched[implementation]

    def visit_seconds(self, implementation: str) -> float:
        """Return what a visit to a cell takes, as far as known."""
        return self._visit_seconds[implementation]

    def bundled(self, implementation: str, searches: Sequence[Search]) -> list[Bundle]:
        """Return the next round of these searches of an implementation."""
        most = most_cells(self._launching.limit_seconds, self._visit_seconds[implementation])
        return bundled(searches, self._ready[implementation].implementation, most, self._shuffle[implementation])

    def measure(self, implementation: str, bundles: Sequence[Bundle]) -> list[Launch]:
        """Launch each bundle of an implementation once, in random order."""
        shuffle = self._shuffle[implementation]
        work = [(bundle, cells) for bundle in bundles for cells in self._shuffled(bundle, shuffle)]
        shuffle.shuffle(work)
        launches: list[Launch] = []
        for bundle, cells in work:
            launches += self._measure(bundle, cells)
        return launches

    def _shuffled(self, bundle: Bundle, shuffle: random.Random) -> list[list[Cell]]:
        """The cells of each launch, once a visit, in random order."""
        groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for cell in bundle.cells():
            groups[cell.ranks, cell.options, cell.placement].append(cell)
        return [
            [cell for _ in range(self._visits(own, bundle)) for cell in shuffle.sample(own, len(own))]
            for own in groups.values()
        ]

    def _visits(self, cells: Sequence[Cell], bundle: Bundle) -> int:
        return visits(len(cells), self._visit_seconds[cells[0].implementation]) if bundle.candidates else 1

    def _measure(self, bundle: Bundle, cells: Sequence[Cell]) -> list[Launch]:
        """One launch; if it came to nothing, each of its trials alone, since one may have spoilt the others.

        Where one that switches ran out of time, the cells that it had not come to get a launch of their own: only
        if that stops at once, too, is its first cell to blame.
        """
        launch = self._launch(bundle, cells)
        if launch.status == "timed out" and launch.series and bundle.candidates:
            measured = {series.cell for series in launch.series}
            rest = [cell for cell in dict.fromkeys(cells) if cell not in measured]
            return [replace(launch, failures=()), self._launch(bundle, rest)] if rest else [launch]
        if launch.series or len(bundle.trials) == 1:
            return [launch]
        alone = [Bundle((trial,)) for trial in bundle.trials]
        return [
            self._launch(single, own_cells)
            for single in alone
            if (own_cells := [cell for cell in single.cells() if cell in cells])
        ]

    def _launch(self, bundle: Bundle, cells: Sequence[Cell]) -> Launch:
        """One launch, told in the very cells that were asked for; stored with what each loaded."""
        implementation = self._ready[cells[0].implementation].implementation
        base = self._base.get(implementation.id, Tuning())
        try:
            tuning = bundle.tuning(base)
            loaded = (
                switching(implementation, tuning, self._topology, bundle.table)
                if bundle.candidates
                else tuned(implementation, tuning, self._topology)
            )
            named = {
                label: tuned(implementation, merged(base, tuning), self._topology)
                for label, tuning in tunings_of(bundle).items()
                if bundle.candidates
            }
        except InputError as error:
            self._launched[implementation.id] += 1
            segment = Segment(implementation.id, cells[0].ranks)
            launch = replace(refused((segment,), cells, str(error)), stage=self._stage)
            self._keep(launch, ())
            return launch
        if known := self._taken(loaded.id, cells):
            self._see(bundle, known, len(cells))
            return known
        configured = [replace(cell, configuration=named.get(cell.label, loaded).id) for cell in cells]
        program = self._ready[implementation.id].program
        launch = self._launching.launch(
            implementation, program, configured, configuration=loaded, candidates=bundle.candidates
        )
        self._launched[implementation.id] += 1
        launch = replace(launch, stage=self._stage)
        self._see(bundle, launch, len(cells))
        self._keep(launch, (loaded, *named.values()))
        return with_cells(launch, _asked)

    def _see(self, bundle: Bundle, launch: Launch, visits: int) -> None:
        """Learn what a visit takes; from a stored launch too, or the bundles that follow would be others."""
        if bundle.candidates and launch.seconds:
            seconds = (launch.cells_seconds or launch.seconds) / visits
            self._visit_seconds[launch.segments[0].implementation] = seconds

    def _taken(self, configuration: str, cells: Sequence[Cell]) -> Launch | None:
        """A launch of the interrupted search that measured these cells, or what it came to of them."""
        known, wanted = self._earlier[self._stage, configuration], set(cells)
        for at, launch in enumerate(known):
            if wanted.issuperset(cells_of(launch)):
                return known.pop(at)
        return None


def _asked(cell: Cell) -> Cell:
    """The cell as a search asks for it: what is loaded with it depends on the trials that share its launch."""
    return replace(cell, configuration="")


@dataclass(slots=True)
class _Group:
    """Searches of one implementation that share their launches, and how far they have come."""

    searches: Sequence[Search]
    rounds: int = 0
    used_seconds: float = 0.0
    bundles: list[Bundle] | None = None
    """The next round; None: not asked for yet, empty: there is none, or no time for it."""

    @property
    def cells(self) -> int:
        """In the next round."""
        return sum(len(bundle.cells()) for bundle in self.bundles or ())

    def seconds_to_gain(self) -> float:
        """Return what the best so far would save."""
        return sum(search.seconds_to_gain() for search in self.searches)


@dataclass(slots=True)
class _Turns:
    """The groups of one implementation."""

    name: str
    groups: list[_Group]
    least_rounds: int
    cell_seconds: float = 0.0
    """What a cell took in the last round, starts of launches included; 0: not known yet."""

    @property
    def used_seconds(self) -> float:
        """By all groups."""
        return sum(group.used_seconds for group in self.groups)

    def next_group(self, trials: Trials) -> _Group | None:
        """Return the next one to ask, with its bundles.

        All have one round first, which shows where the default loses most time; then they have `least_rounds` one
        after the other, what gains most before all else; then who has used the least time comes next.
        """
        asking: list[_Group] = []
        for group in self.groups:
            if group.bundles is None:
                group.bundles = trials.bundled(self.name, group.searches)
            if group.bundles and not group.rounds:
                return group
            asking += [group] if group.bundles else []
        untold = [group for group in asking if group.rounds < self.least_rounds]
        if untold:
            return max(untold, key=_Group.seconds_to_gain)
        return min(asking, key=lambda candidate: candidate.used_seconds, default=None)

    def seconds_until_told(self, group: _Group, trials: Trials) -> float:
        """Return what that takes, as the last round did, or by a guess."""
        return self.missing_cells(group) * (self.cell_seconds or trials.visit_seconds(self.name))

    def missing_cells(self, group: _Group) -> int:
        """Return how many are measured until the group has `least_rounds`, or its next round if it has these."""
        return group.cells * max(self.least_rounds - group.rounds, 1)

    def has_time(self, group: _Group, now: float, deadline: float, latest: float) -> bool:
        """Return whether the group may go on."""
        end = now + self.missing_cells(group) * self.cell_seconds
        if group.rounds >= self.least_rounds:
            return end <= deadline
        return end <= latest and (group.rounds > 0 or now <= deadline)

    def take(self, group: _Group, launches: Sequence[Launch]) -> None:
        """Take a round into account."""
        seconds = sum(launch.seconds for launch in launches)
        self.cell_seconds = seconds / max(group.cells, 1)
        group.used_seconds += seconds
        group.rounds += 1
        group.bundles = None
        for search in group.searches:
            search.tell(launches)


def carry_out(
    searches: Mapping[str, Sequence[Sequence[Search]]],
    trials: Trials,
    deadline: float,
    show: Callable[[str], None] = lambda _: None,
    *,
    latest: float = 0.0,
    least_rounds: int = 0,
    clock: Clock = time.monotonic,
) -> bool:
    """Ask, measure and tell until every question is answered (True), or there is no time for any other round.

    Next comes the implementation that will have used the least time when it can tell more: each gets as much as
    the others, and what it does not need is theirs. Its groups take turns as `_Turns.next_group` has it.
    Before `least_rounds` no search can conclude anything, so what began before `deadline` (seconds of `clock`) has
    time for these until `latest`, if that is later, but not for some of them: who will not make it leaves the time
    to the others.

    `searches`: groups, by implementation. Searches of one group share their launches, so they must not touch one
    another's settings; a group learns from those before it.
    """
    all_turns = [_Turns(name, [_Group(own) for own in groups], least_rounds) for name, groups in searches.items()]
    is_done = True
    while open_turns := [(turns, group) for turns in all_turns if (group := turns.next_group(trials))]:
        turns, group = min(
            open_turns, key=lambda pair: pair[0].used_seconds + pair[0].seconds_until_told(pair[1], trials)
        )
        try:
            if not turns.has_time(group, clock(), deadline, max(deadline, latest)):
                raise TimeIsOverError
            names = {trial.name for bundle in group.bundles or () for trial in bundle.trials}
            show(f"{turns.name}: {', '.join(sorted(names))}")
            launches = trials.measure(turns.name, group.bundles or ())
        except TimeIsOverError:
            group.bundles, is_done = [], False
        else:
            turns.take(group, launches)
    return is_done
