"""Which trials share a launch: those whose settings do not touch, and those that one launch can switch between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from rankwise.analysis.tune.search import Search, Trial
from rankwise.analysis.tunings import choice_at, merged
from rankwise.core.errors import InputError
from rankwise.core.records import DEFAULT, Cell, Implementation
from rankwise.core.tuning import Candidate, Choice, Decision, Rule, Tuning
from rankwise.mpi.family import family_named

VISIT_SECONDS, VISIT_SECONDS_BETWEEN_HOSTS = 0.1, 0.4
"""What a visit to a cell takes before any was made, with up to 1 MiB on 4 ranks that share 2 cores."""
MOST_CELLS = 50
LIMIT_SHARE = 1 / 3
"""Of the time limit of a launch: what one that switches between candidates is to take."""
VISITS = 2
"""How often such a launch comes to each cell: what varies from visit to visit is most of what varies there."""


def most_cells(limit_seconds: float, visit_seconds: float) -> int:
    """Return how many cells a launch that switches may have, if it may take so long, and a visit so long."""
    return int(LIMIT_SHARE * limit_seconds / (VISITS * visit_seconds))


@dataclass(frozen=True, slots=True)
class Bundle:
    """Trials of one implementation that are launched together, each with cells of its own."""

    trials: tuple[Trial, ...]
    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    """What the launch switches to, by the label of cells; none: it loads what the trials set."""

    def tuning(self, base: Tuning) -> Tuning:
        """Return what is loaded, on top of what is chosen already.

        Decisions for an operation could be stronger than what the launch switches to: they are for other ranks.
        """
        if self.candidates:
            switched = {cell.benchmark for cell in self.cells()}
            return replace(base, decisions=tuple(one for one in base.decisions if one.operation not in switched))
        for trial in self.trials:
            base = merged(base, trial.tuning)
        return base

    def cells(self) -> list[Cell]:
        """Return the cells of all trials, each once."""
        return list(dict.fromkeys(cell for trial in self.trials for cell in trial.cells))


def bundled(
    searches: Sequence[Search], implementation: Implementation, most_cells: int = MOST_CELLS
) -> list[Bundle]:
    """Return the next round of searches whose settings do not touch one another.

    Trials that a launch can switch between go together with the default, no more than `most_cells` cells a launch
    unless one size has more: what is compared stays together. Of others the i-th of all searches share a launch.
    Launches do not mix ranks and placements.
    """
    kinds: defaultdict[tuple[object, ...], list[list[Trial]]] = defaultdict(list)
    for search in searches:
        own: defaultdict[tuple[object, ...], list[Trial]] = defaultdict(list)
        for trial in search.ask():
            own[tuple((cell.ranks, cell.options, cell.placement) for cell in trial.cells[:1])].append(trial)
        for kind, trials in own.items():
            kinds[kind].append(trials)
    found: list[Bundle] = []
    for several in kinds.values():
        apart: list[list[Trial]] = []
        together: list[Trial] = []
        candidates: dict[str, Candidate] = {}
        for trials in several:
            known = [candidates_of(implementation, trial) for trial in trials]
            if not any(known) or any(one is None for one in known):
                apart.append(trials)
                continue
            together += trials
            for one in known:
                candidates |= one or {}
        found += _switched(together, candidates, most_cells)
        found += [Bundle(tuple(one for one in row if one is not None)) for row in zip_longest(*apart)]
    return found


def candidates_of(implementation: Implementation, trial: Trial) -> dict[str, Candidate] | None:
    """Return what to switch to for each label of the trial's cells; None where that cannot be switched."""
    if trial.tuning.settings or trial.tuning.host_settings:
        return None
    found: dict[str, Candidate] = {}
    for cell in trial.cells:
        if cell.label == DEFAULT or cell.label in found:
            continue
        try:
            candidate = family_named(implementation.family).candidate(
                implementation, cell.benchmark, choice_at(trial.tuning, cell)
            )
        except InputError:
            return None
        if candidate is None:
            return None
        found[cell.label] = candidate
    return found


def tunings_of(bundle: Bundle) -> dict[str, Tuning]:
    """Return what each label of a bundle's cells stands for: the choice for its operation and ranks alone."""
    found: dict[str, Tuning] = {}
    for trial in bundle.trials:
        for cell in trial.cells:
            rules = (Rule(None, choice_at(trial.tuning, cell)),)
            if cell.label != DEFAULT and rules[0].choice != Choice():
                found[cell.label] = Tuning(decisions=(Decision(cell.benchmark, cell.ranks, rules),))
    return found


def _switched(trials: Sequence[Trial], candidates: Mapping[str, Candidate], most_cells: int) -> list[Bundle]:
    """Launches of whole sizes: what is compared with the default is measured beside it."""
    sizes = list(dict.fromkeys((cell.benchmark, cell.size_bytes) for trial in trials for cell in trial.cells))
    found: list[Bundle] = []
    for size in sizes:
        own = _only(trials, [size])
        last = found[-1] if found else None
        both = _only(trials, [size, *_sizes(last)]) if last else ()
        if last and len({cell for trial in both for cell in trial.cells}) <= most_cells:
            found[-1] = replace(last, trials=both)
        else:
            found.append(Bundle(own, candidates))
    return found


def _sizes(bundle: Bundle) -> list[tuple[str, int]]:
    return list(dict.fromkeys((cell.benchmark, cell.size_bytes) for cell in bundle.cells()))


def _only(trials: Iterable[Trial], sizes: Iterable[tuple[str, int]]) -> tuple[Trial, ...]:
    """The trials with their cells of these benchmarks and sizes; none without cells."""
    wanted = set(sizes)
    cut = (
        replace(trial, cells=tuple(cell for cell in trial.cells if (cell.benchmark, cell.size_bytes) in wanted))
        for trial in trials
    )
    return tuple(trial for trial in cut if trial.cells)
