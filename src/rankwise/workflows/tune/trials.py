"""Carries out searches: asks them for trials, launches these interleaved, and tells them how they went."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from rankwise.analysis.compare.variants import cells_of, with_cells
from rankwise.analysis.tune.merging import merged
from rankwise.analysis.tune.search import Search, Trial
from rankwise.core.configuration import Configuration
from rankwise.core.errors import InputError
from rankwise.core.records import Cell, Launch, Segment
from rankwise.core.tuning import Tuning
from rankwise.measurement.launch import Launching, refused
from rankwise.measurement.plan import launches_of_round
from rankwise.measurement.runner import Ready
from rankwise.workflows.configurations import tuned

Key = tuple[str, str, frozenset[tuple[str, int, str]]]
"""What a launch was for: its stage, its configuration, and the labels, ranks and placements of its cells."""
Keep = Callable[[Launch, Configuration | None], None]
"""Stores a launch as soon as it ended, with the configuration that it loaded (None: it could not be loaded)."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Trials of one implementation that are launched together, each with cells of its own."""

    trials: tuple[Trial, ...]

    def tuning(self, base: Tuning) -> Tuning:
        """Return all their settings, on top of what is chosen already."""
        for trial in self.trials:
            base = merged(base, trial.tuning)
        return base

    def cells(self) -> list[Cell]:
        """Return the cells of all trials, each once."""
        return list(dict.fromkeys(cell for trial in self.trials for cell in trial.cells))


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
    ) -> None:
        """`base`: what is chosen already, by implementation; `stage` is stored with each launch.

        `earlier`: the launches of an interrupted search, which are taken in place of new ones.
        """
        self._stage = stage
        self._launching, self._ready, self._base, self._keep = launching, ready, base, keep
        self._shuffle = random.Random(0)
        self._earlier: defaultdict[Key, deque[Launch]] = defaultdict(deque)
        for launch in earlier:
            key = _key(launch.stage, launch.segments[0].configuration, cells_of(launch))
            self._earlier[key].append(with_cells(launch, _asked))
        self._launched: Counter[str] = Counter()

    @property
    def launched(self) -> int:
        """Launches so far, without those taken from an earlier search."""
        return self._launched.total()

    def launched_of(self, implementation: str) -> int:
        """Return those of one implementation."""
        return self._launched[implementation]

    def measure(self, bundles: Sequence[Bundle]) -> list[Launch]:
        """Launch each bundle once, in random order."""
        work = [
            (bundle, cells)
            for bundle in bundles
            for cells in launches_of_round((replace(cell, label="") for cell in bundle.cells()), self._shuffle)
        ]
        self._shuffle.shuffle(work)
        found: list[Launch] = []
        for bundle, cells in work:
            found += self._measure(bundle, cells)
        return found

    def _measure(self, bundle: Bundle, anonymous: Sequence[Cell]) -> list[Launch]:
        """One launch; if it came to nothing, each of its trials alone, since one may have spoilt the others."""
        wanted = {replace(cell, label=""): cell for cell in bundle.cells()}
        cells = [wanted[cell] for cell in anonymous]
        launch = self._launch(bundle, cells)
        if launch.series or len(bundle.trials) == 1:
            return [launch]
        alone = [Bundle((trial,)) for trial in bundle.trials]
        return [
            self._launch(one, mine) for one in alone if (mine := [cell for cell in one.cells() if cell in cells])
        ]

    def _launch(self, bundle: Bundle, cells: Sequence[Cell]) -> Launch:
        """One launch, told in the very cells that were asked for; stored with what each loaded."""
        implementation = self._ready[cells[0].implementation].implementation
        try:
            found = tuned(implementation, bundle.tuning(self._base.get(implementation.id, Tuning())))
        except InputError as error:
            self._launched[implementation.id] += 1
            segment = Segment(implementation.id, cells[0].ranks)
            launch = replace(refused((segment,), cells, str(error)), stage=self._stage)
            self._keep(launch, None)
            return launch
        key = _key(self._stage, found.id, cells)
        if self._earlier[key]:
            return self._earlier[key].popleft()
        self._launched[implementation.id] += 1
        configured = [replace(cell, configuration=found.id) for cell in cells]
        program = self._ready[implementation.id].program
        launch = self._launching.launch(implementation, program, configured, configuration=found)
        launch = replace(launch, stage=self._stage)
        self._keep(launch, found)
        return with_cells(launch, _asked)


def _key(stage: str, configuration: str, cells: Iterable[Cell]) -> Key:
    return stage, configuration, frozenset((cell.label, cell.ranks, cell.placement) for cell in cells)


def _asked(cell: Cell) -> Cell:
    """The cell as a search asks for it: what is loaded with it depends on the trials that share its launch."""
    return replace(cell, configuration="")


def bundled(searches: Sequence[Search]) -> list[Bundle]:
    """Return the next round of searches whose settings do not touch one another.

    The i-th trials of all go together, counted apart for each number of ranks and placement: launches do not mix.
    """
    kinds: defaultdict[tuple[object, ...], list[list[Trial]]] = defaultdict(list)
    for search in searches:
        own: defaultdict[tuple[object, ...], list[Trial]] = defaultdict(list)
        for trial in search.ask():
            own[tuple((cell.ranks, cell.options, cell.placement) for cell in trial.cells[:1])].append(trial)
        for kind, trials in own.items():
            kinds[kind].append(trials)
    rounds = (trials for several in kinds.values() for trials in zip_longest(*several))
    return [Bundle(tuple(trial for trial in trials if trial is not None)) for trials in rounds]


def carry_out(
    searches: Mapping[str, Sequence[Search]],
    trials: Trials,
    deadline: float,
    show: Callable[[str], None] = lambda _: None,
    *,
    latest: float = 0.0,
    least_rounds: int = 0,
) -> bool:
    """Ask, measure and tell until every question is answered (True), or `deadline` (monotonic seconds) is past.

    Before `least_rounds` no search can conclude anything: so many are carried out until `latest`, if that is
    later. `searches`, by implementation: those of one must not touch one another's settings.
    """
    rounds = 0
    while bundles := [one for own in searches.values() for one in bundled(own)]:
        if time.monotonic() > (deadline if rounds >= least_rounds else max(deadline, latest)):
            return False
        show(", ".join(sorted({trial.name for one in bundles for trial in one.trials})))
        launches = trials.measure(bundles)
        rounds += 1
        for own in searches.values():
            for search in own:
                search.tell(launches)
    return True
