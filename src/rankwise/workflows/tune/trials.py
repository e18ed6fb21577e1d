"""Carries out searches: asks them for trials, launches these interleaved, and tells them how they went."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from rankwise.analysis.compare.variants import cells_of, with_cells
from rankwise.analysis.tune.merging import merged
from rankwise.analysis.tune.search import Search, Trial
from rankwise.bench.launch import Launching
from rankwise.bench.plan import launches_of_round
from rankwise.bench.runner import Ready
from rankwise.core.errors import InputError
from rankwise.core.records import Cell, CellFailure, Launch
from rankwise.core.tuning import Loaded, Tuning
from rankwise.mpi.family import native_of
from rankwise.profiles.loading import place

Key = tuple[str, int, str, frozenset[str]]
"""What a launch measured: implementation, ranks, placement, and the names of its trials."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Trials of one implementation that are launched together, each with cells of its own."""

    trials: tuple[Trial, ...]

    def tuning(self, base: Tuning) -> Tuning:
        """All their settings, on top of what is chosen already."""
        for trial in self.trials:
            base = merged(base, trial.tuning)
        return base

    def cells(self) -> list[Cell]:
        """Of all trials, each once."""
        return list(dict.fromkeys(cell for trial in self.trials for cell in trial.cells))


class Trials:
    """Measures trials on a testbed that is up; every launch is kept as soon as it ends."""

    def __init__(
        self,
        launching: Launching,
        ready: Mapping[str, Ready],
        base: Mapping[str, Tuning],
        folder: Path,
        keep: Callable[[Launch], None],
        stage: str,
        earlier: Iterable[Launch] = (),
    ) -> None:
        """`base`: what is chosen already, by implementation; `folder`: where native files go.

        `stage` stands before the names of trials in the store, where those of several searches meet.
        `earlier`: the launches of an interrupted search, which are taken in place of new ones.
        """
        self._stage = f"{stage}: "
        self._launching, self._ready, self._base = launching, ready, base
        self._folder, self._keep = folder, keep
        self._shuffle = random.Random(0)
        self._earlier: defaultdict[Key, deque[Launch]] = defaultdict(deque)
        for launch in earlier:
            if all(cell.profile.startswith(self._stage) for cell in cells_of(launch)):
                ours = with_cells(launch, self._unstaged)
                self._earlier[_key(ours)].append(ours)
        self._launched: Counter[str] = Counter()

    @property
    def launched(self) -> int:
        """Launches so far, without those taken from an earlier search."""
        return self._launched.total()

    def launched_of(self, implementation: str) -> int:
        """Those of one implementation."""
        return self._launched[implementation]

    def measure(self, bundles: Sequence[Bundle]) -> list[Launch]:
        """Launch each bundle once, in random order."""
        work = [
            (bundle, cells)
            for bundle in bundles
            for cells in launches_of_round((replace(cell, profile="") for cell in bundle.cells()), self._shuffle)
        ]
        self._shuffle.shuffle(work)
        found: list[Launch] = []
        for bundle, cells in work:
            found += self._measure(bundle, cells)
        return found

    def _measure(self, bundle: Bundle, anonymous: Sequence[Cell]) -> list[Launch]:
        """One launch; if it came to nothing, each of its trials alone, since one may have spoilt the others."""
        wanted = {replace(cell, profile=""): cell for cell in bundle.cells()}
        cells = [wanted[cell] for cell in anonymous]
        launch = self._launch(bundle, cells)
        if launch.series or len(bundle.trials) == 1:
            return [launch]
        alone = [Bundle((trial,)) for trial in bundle.trials]
        return [
            self._launch(one, mine) for one in alone if (mine := [cell for cell in one.cells() if cell in cells])
        ]

    def _launch(self, bundle: Bundle, cells: Sequence[Cell]) -> Launch:
        implementation = cells[0].implementation
        key = (
            implementation, cells[0].ranks, cells[0].placement, frozenset(cell.profile for cell in cells)
        )  # fmt: skip
        if self._earlier[key]:
            return self._earlier[key].popleft()
        self._launched[implementation] += 1
        ready = self._ready[implementation]
        try:
            loaded = self._load(ready, bundle)
        except InputError as error:
            launch = _refused(cells, str(error))
        else:
            launch = self._launching.launch(ready.implementation, ready.program, cells, loaded=loaded)
        self._keep(with_cells(launch, self._staged))
        return launch

    def _staged(self, cell: Cell) -> Cell:
        return replace(cell, profile=self._stage + cell.profile)

    def _unstaged(self, cell: Cell) -> Cell:
        return replace(cell, profile=cell.profile.removeprefix(self._stage))

    def _load(self, ready: Ready, bundle: Bundle) -> Loaded:
        tuning = bundle.tuning(self._base.get(ready.implementation.id, Tuning()))
        native = native_of(ready.implementation, tuning)
        loaded = place(native, self._folder / f"{ready.implementation.id}-{self.launched}")
        return replace(loaded, host_settings=tuning.host_settings)


def bundled(searches: Sequence[Search]) -> list[Bundle]:
    """The next round of searches whose settings do not touch one another.

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


def _key(launch: Launch) -> Key:
    cells = cells_of(launch)
    placement = cells[0].placement if cells else ""
    return launch.implementation, launch.ranks, placement, frozenset(cell.profile for cell in cells)


def _refused(cells: Sequence[Cell], why: str) -> Launch:
    """A trial that the implementation cannot even be asked for: a failed launch, like any other."""
    return Launch(
        implementation=cells[0].implementation, ranks=cells[0].ranks, status="failed", command="", environment=(),
        started_at=time.time(), seconds=0.0, reason=why,
        failures=tuple(CellFailure(cell, why, "unsupported") for cell in cells),
    )  # fmt: skip
