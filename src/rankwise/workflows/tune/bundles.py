"""Which trials share a launch: those whose settings do not touch, and those that one launch can switch between."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from rankwise.analysis.tune.race import AGAIN
from rankwise.analysis.tune.search import Search, Trial
from rankwise.analysis.tunings import choice_at, merged
from rankwise.core.errors import InputError
from rankwise.core.records import DEFAULT, Cell, Implementation
from rankwise.core.schedule_names import benchmark_of, chosen_schedule
from rankwise.core.tuning import Candidate, Choice, Decision, Native, Rule, Tuning
from rankwise.mpi.family import family_named

VISIT_SECONDS, VISIT_SECONDS_BETWEEN_HOSTS = 0.1, 0.4
"""What a visit to a cell takes before any was made, with up to 1 MiB on 4 ranks that share 2 cores."""
MOST_CELLS = 50
LIMIT_SHARE = 1 / 3
"""Of the time limit of a launch: what one that switches between candidates is to take."""
VISITS = 2
"""How often such a launch comes to each cell: what varies from visit to visit is most of what varies there ..."""
START_SECONDS = 2.0
"""... unless the visits take much longer than the start of another launch, which tells more."""


def visits(cells: int, visit_seconds: float) -> int:
    """Return how often a launch that switches comes to each of its cells."""
    return VISITS if cells * visit_seconds <= START_SECONDS else 1


def most_cells(limit_seconds: float, visit_seconds: float) -> int:
    """Return how many cells a launch that switches may have, if it may take so long, and a visit so long."""
    one_visit = LIMIT_SHARE * limit_seconds / visit_seconds
    return int(one_visit / visits(int(one_visit), visit_seconds))


@dataclass(frozen=True, slots=True)
class Bundle:
    """Trials of one implementation that are launched together, each with cells of its own."""

    trials: tuple[Trial, ...]
    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    """What the launch switches to, by the label of cells; none: it loads what the trials set."""
    table: Native = field(default=Native())
    """What tells them apart, where messages of each are a little shorter than the others'."""

    def tuning(self, base: Tuning) -> Tuning:
        """Return what is loaded, on top of what is chosen already.

        Decisions for an operation could be stronger than what the launch switches to: they are for other ranks.
        """
        if self.candidates:
            switched = {cell.benchmark for cell in self.cells()}
            return replace(
                base,
                decisions=tuple(decision for decision in base.decisions if decision.operation not in switched),
            )
        for trial in self.trials:
            base = merged(base, trial.tuning)
        return base

    def cells(self) -> list[Cell]:
        """Return the cells of all trials, each once."""
        return list(dict.fromkeys(cell for trial in self.trials for cell in trial.cells))


def bundled(
    searches: Sequence[Search], implementation: Implementation, most_cells: int = MOST_CELLS,
    shuffle: random.Random | None = None,
) -> list[Bundle]:  # fmt: skip
    """Return the next round of searches whose settings do not touch one another.

    Trials that a launch can switch between go together with the default and its second arm, as do schedules, no
    more than `most_cells` cells a launch unless one size has more: what is compared stays together. Where it
    tells them apart by the size of messages, the default is launched without them, and `shuffle` decides who is
    how much shorter. Of others the i-th of all searches share a launch. Launches do not mix ranks and placements.
    """
    kinds: defaultdict[tuple[object, ...], list[list[Trial]]] = defaultdict(list)
    for search in searches:
        own: defaultdict[tuple[object, ...], list[Trial]] = defaultdict(list)
        for trial in search.ask():
            own[tuple((cell.ranks, cell.options, cell.placement) for cell in trial.cells[:1])].append(trial)
        for kind, trials in own.items():
            kinds[kind].append(trials)
    bundles: list[Bundle] = []
    for several in kinds.values():
        apart: list[list[Trial]] = []
        together: list[Trial] = []
        by_size: list[Trial] = []
        candidates: dict[str, Candidate] = {}
        for search_trials in several:
            scheduled, trials = _parted(search_trials)
            choosing = [candidates_of(implementation, trial) for trial in trials if trial.name != AGAIN]
            switches = any(choosing) and None not in choosing
            trials = [trial for trial in trials if switches or trial.name != AGAIN]
            known = [candidates_of(implementation, trial) for trial in trials]
            if switches or scheduled:
                together += [*(trials if switches else _defaults(trials)), *scheduled]
                for trial_candidates in (*known, *(candidates_of(implementation, trial) for trial in scheduled)):
                    candidates |= trial_candidates or {}
            if switches or (scheduled and not _choices(trials)):
                continue
            if _has_room(implementation, trials):
                by_size += trials
                apart.append(_defaults(trials))
            else:
                apart.append(trials)
        bundles += _switched(together, candidates, most_cells)
        bundles += _told_by_size(implementation, by_size, most_cells, shuffle or random.Random(0))
        bundles += [
            Bundle(tuple(row_trial for row_trial in row if row_trial is not None)) for row in zip_longest(*apart)
        ]
    return bundles


def _parted(trials: Sequence[Trial]) -> tuple[list[Trial], list[Trial]]:
    """The trials with their cells of schedules, which any launch can measure, and with the others."""
    known = _choices(trials)
    ours = [label for label, choice in known.items() if chosen_schedule(choice)]
    labels = dict.fromkeys(cell.label for trial in trials for cell in trial.cells)
    return [*_labelled(trials, ours)], [*_labelled(trials, labels.keys() - ours)]


def _defaults(trials: Iterable[Trial]) -> list[Trial]:
    return [trial for trial in trials if not _choices([trial])]


def candidates_of(implementation: Implementation, trial: Trial) -> dict[str, Candidate] | None:
    """Return what to switch to for each label of the trial's cells; None where that cannot be switched."""
    if trial.tuning.settings or trial.tuning.host_settings:
        return None
    candidates: dict[str, Candidate] = {}
    for cell in trial.cells:
        if cell.label == DEFAULT or cell.label in candidates:
            continue
        if cell.label == AGAIN:
            candidates[cell.label] = Candidate()
            continue
        choice = choice_at(trial.tuning, cell)
        if chosen_schedule(choice):
            candidates[cell.label] = Candidate(benchmark=benchmark_of(cell.benchmark, choice))
            continue
        try:
            candidate = family_named(implementation.family).candidate(implementation, cell.benchmark, choice)
        except InputError:
            return None
        if candidate is None:
            return None
        candidates[cell.label] = candidate
    return candidates


def tunings_of(bundle: Bundle) -> dict[str, Tuning]:
    """Return what each label of a bundle's cells stands for: the choice for its operation and ranks alone."""
    tunings: dict[str, Tuning] = {}
    for trial in bundle.trials:
        for cell in trial.cells:
            rules = (Rule(None, choice_at(trial.tuning, cell)),)
            if cell.label != DEFAULT and rules[0].choice != Choice():
                tunings[cell.label] = Tuning(decisions=(Decision(cell.benchmark, cell.ranks, rules),))
    return tunings


def _switched(trials: Sequence[Trial], candidates: Mapping[str, Candidate], most_cells: int) -> list[Bundle]:
    """Launches of whole sizes: what is compared with the default is measured beside it."""
    sizes = list(dict.fromkeys((cell.benchmark, cell.size_bytes) for trial in trials for cell in trial.cells))
    bundles: list[Bundle] = []
    for size in sizes:
        own = _only(trials, [size])
        last = bundles[-1] if bundles else None
        both = _only(trials, [size, *_sizes(last)]) if last else ()
        if last and len({cell for trial in both for cell in trial.cells}) <= most_cells:
            bundles[-1] = replace(last, trials=both)
        else:
            bundles.append(Bundle(own, candidates))
    return bundles


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


def _choices(trials: Iterable[Trial]) -> dict[str, Choice]:
    """What each label stands for that is not the default."""
    return {
        cell.label: choice_at(trial.tuning, cell)
        for trial in trials
        for cell in trial.cells
        if cell.label != DEFAULT
    }


def _room(implementation: Implementation, trials: Iterable[Trial]) -> int:
    """How many choices a launch can tell apart by the size of messages at all sizes of these trials."""
    family = family_named(implementation.family)
    return min((family.most_by_size(cell.size_bytes) for trial in trials for cell in trial.cells), default=0)


def _has_room(implementation: Implementation, trials: Sequence[Trial]) -> bool:
    is_plain = not any(trial.tuning.settings or trial.tuning.host_settings for trial in trials)
    return is_plain and len(_choices(trials)) > 1 and _room(implementation, trials) > 1


def _told_by_size(
    implementation: Implementation, trials: Sequence[Trial], most_cells: int, shuffle: random.Random
) -> list[Bundle]:
    """Launches of a few choices each, at all of their sizes; the i-th few of all operations share a launch."""
    operations: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        if _choices([trial]):
            operations[trial.cells[0].benchmark].append(trial)
    rows: list[list[Bundle]] = []
    for operation, own in operations.items():
        known = _choices(own)
        sizes = sorted({cell.size_bytes for trial in own for cell in trial.cells})
        few = max(min(_room(implementation, own), most_cells // (len(sizes) * len(operations))), 1)
        labels = shuffle.sample([*known], len(known))
        row = []
        for start in range(0, len(labels), few):
            few_labels = labels[start : start + few]
            table, candidates = family_named(implementation.family).candidates_by_size(
                implementation, operation, own[0].cells[0].ranks, sizes, [known[label] for label in few_labels]
            )
            row.append(Bundle(_labelled(own, few_labels), dict(zip(few_labels, candidates, strict=True)), table))
        rows.append(row)
    return [_joined([bundle for bundle in row if bundle]) for row in zip_longest(*rows)]


def _labelled(trials: Iterable[Trial], labels: Iterable[str]) -> tuple[Trial, ...]:
    """The trials with their cells of these labels; none without cells."""
    wanted = set(labels)
    cut = (replace(trial, cells=tuple(cell for cell in trial.cells if cell.label in wanted)) for trial in trials)
    return tuple(trial for trial in cut if trial.cells)


def _joined(bundles: Sequence[Bundle]) -> Bundle:
    """Bundles of different operations in one launch."""
    whole = bundles[0]
    for bundle in bundles[1:]:
        whole = Bundle(
            (*whole.trials, *bundle.trials), {**whole.candidates, **bundle.candidates}, whole.table + bundle.table
        )
    return whole
