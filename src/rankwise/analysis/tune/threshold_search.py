"""Up to which size messages should be sent eagerly: three curves predict a few thresholds, which then race."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rankwise.analysis.labels import crossover_words
from rankwise.analysis.tune.race import Race, SearchCriteria
from rankwise.analysis.tune.search import Search, Trial, trials_of
from rankwise.core.records import DEFAULT, Cell, FloatArray
from rankwise.core.tuning import Knob, Reason, Setting, Tuning
from rankwise.core.units import format_size
from rankwise.stats.crossover import Crossover, crossover
from rankwise.stats.summary import mean_of_measured

CURVE_ROUNDS = 3
"""In which the curves are measured that predict the candidates."""
STEP_DOWN = 4
"""A threshold with which launches fail is tried again at a fraction of this."""
LEAST_RANGE = 8
"""What is best at the largest size is taken to hold for up to so many times more, at the least."""


class ThresholdSearch(Search):
    """First three trials a round: as it is, everything eager, everything rendezvous; then a race.

    What any threshold would make of any cell follows from these curves. Candidates are the threshold that is best
    in the mean of all cells, and those that each benchmark and placement would take for itself: of thresholds that
    cost nowhere delta more than the best the smallest, since eager messages take memory.
    """

    def __init__(
        self,
        knob: Knob,
        templates: Sequence[Cell],
        sizes_bytes: Sequence[int],
        criteria: SearchCriteria | None = None,
        *,
        eager_memory_bytes: int = 1 << 30,
        peers: int = 1,
    ) -> None:
        """`templates`: benchmarks and placements of one implementation, which get a size and a label.

        `eager_memory_bytes` is what one rank may keep for eager messages of `peers` others.
        """
        self._sizes = sorted(set(sizes_bytes))
        self._criteria = criteria or SearchCriteria()
        choices = len(self._sizes) + 1  # between any two sizes, and at both ends
        super().__init__(knob.name, choices, self._criteria.quantile)
        self._templates = tuple(templates)
        self._cells = [replace(template, size_bytes=size) for template in self._templates for size in self._sizes]
        self._each_bytes, self._peers = max(eager_memory_bytes // max(peers, 1), 1), max(peers, 1)
        self._eager = min(LEAST_RANGE << self._sizes[-1].bit_length(), knob.most or 1 << 62)
        self._rendezvous = knob.least
        self._curve_rounds = 0
        """With the present eager threshold."""
        self._values: dict[str, int] = {}
        """Of the thresholds that were tried, by label."""
        self._unusable: dict[int, str] = {}
        self._race: Race | None = None

    def best(self) -> Tuning:
        """Return the threshold, or nothing where it is best left as it is."""
        return self._tunings().get(self._selected(), Tuning())

    def ends(self) -> dict[str, Tuning]:
        """Return the highest threshold that memory allows, or nothing."""
        most = min(self._eager, 1 << self._each_bytes.bit_length() - 1)
        label = self._label(most)
        return {label: self._tunings()[label]} if most > self._rendezvous else {}

    def crossovers(self) -> dict[Cell, Crossover]:
        """Return where the two protocols cross, for each template that has both at two sizes or more."""
        by_template = {}
        for template in self._templates:
            curves = self._curves(template)[1:]
            known = np.all(np.any(~np.isnan(curves), axis=2), axis=0)
            if np.sum(known) > 1:
                eager, rendezvous = np.exp(curves[:, known])
                by_template[template] = crossover(
                    np.array(self._sizes, dtype=np.float64)[known], eager, rendezvous
                )
        return by_template

    def reasons(self) -> tuple[Reason, ...]:
        """Return the threshold, its gain, where the protocols cross, and what could not be used."""
        parts, cost = ["left as it is: no threshold is significantly better without being worse somewhere"], ""
        if self._race and (chosen := self._selected()) != DEFAULT:
            value, ratio = self._values[chosen], math.exp(self._race.log_ratio(chosen))
            parts = [f"{format_size(value)}: {ratio:.2f} times the default's time in the mean"]
            memory, each = format_size(value * self._peers), format_size(value)
            cost = f"up to {memory} a rank for eager messages ({each} for each of {self._peers} peers)"
        parts += [
            f"eager is faster {crossover_words(crossing)} in {cell.benchmark}, placement {cell.placement}"
            for cell, crossing in self.crossovers().items()
        ]
        left = self._race.left if self._race else {}
        parts += [f"{format_size(self._values[label])}: {why}" for label, why in left.items()]
        parts += [f"{format_size(value)} is unusable: {why}" for value, why in self._unusable.items()]
        return (Reason(self.subject, "; ".join(parts), cost),)

    def _next_round(self) -> Iterable[Trial]:
        """The default first."""
        if self._race:
            labels = self._race.next_round()
        else:
            usable = [self._label(value) for value in self._ends() if value not in self._unusable]
            labels = (DEFAULT, *usable) if usable else ()
        cells = (
            replace(cell, label=label)
            for cell in self._cells
            for label in labels
            if self._race or self._informative(cell.size_bytes, label)
        )
        return trials_of(cells, self._tunings())

    def _update(self) -> None:
        """A threshold that failed more often than the default is not tried again."""
        if self._race:
            self._race.update()
            return
        self._curve_rounds += 1
        for value in self._ends():
            if why := self._observed.why_unusable(self._cells, self._label(value)):
                self._unusable[value] = why
        if self._eager in self._unusable and self._lower():
            self._curve_rounds = 0
        if self._curve_rounds >= CURVE_ROUNDS:
            labels = map(self._label, self._candidates())
            self._race = Race(self._cells, labels, self._observed, self._criteria)

    def _selected(self) -> str:
        """The best, or what is likely to be: the validation is a test of its own."""
        if not self._race:
            return DEFAULT
        selected = self._race.selected()
        return self._race.likely() if selected == DEFAULT else selected

    def _label(self, value: int) -> str:
        label = f"{self.subject}={value}"
        self._values[label] = value
        return label

    def _tunings(self) -> dict[str, Tuning]:
        return {label: Tuning((Setting(self.subject, str(value)),)) for label, value in self._values.items()}

    # What the curves predict

    def _ends(self) -> tuple[int, int]:
        """The thresholds by which everything goes eagerly, and everything by rendezvous."""
        return self._eager, self._rendezvous

    def _informative(self, size_bytes: int, label: str) -> bool:
        """Whether a message of this size goes by the protocol that this threshold stands for."""
        if label == self._label(self._rendezvous):
            return size_bytes > self._rendezvous
        return label == DEFAULT or size_bytes < self._eager

    def _lower(self) -> bool:
        """Take a lower threshold for `everything eager`; False when there is none left to tell anything."""
        lower = self._eager // STEP_DOWN
        if lower <= max(self._sizes[0], self._rendezvous):
            return False
        self._eager = lower
        return True

    def _curves(self, template: Cell) -> FloatArray:
        """Logarithms of times by default, eagerly, by rendezvous: shape (3, sizes, rounds); nan: not measured."""
        labels = (DEFAULT, *map(self._label, self._ends()))
        cells = [[replace(template, size_bytes=size, label=label) for size in self._sizes] for label in labels]
        return np.array([[self._observed.log_seconds(cell) for cell in own] for own in cells])

    def _predicted(self, template: Cell, thresholds: Sequence[int]) -> FloatArray:
        """Logarithms of time over the default's, shape (thresholds, sizes); nan: unknown."""
        default, *both = self._curves(template)
        eager, rendezvous = (mean_of_measured(logs - default) for logs in both)
        ratios: FloatArray = np.where(np.array(self._sizes) < np.array(thresholds)[:, None], eager, rendezvous)
        return ratios

    def _candidates(self) -> list[int]:
        """The smallest thresholds that are as good as the best: for all cells together, and for each template."""
        thresholds = self._thresholds()
        if not thresholds:
            return []
        each = [self._predicted(template, thresholds) for template in self._templates]
        best_rows = [
            _smallest_good(predicted, self._criteria.margin) for predicted in (np.concatenate(each, axis=1), *each)
        ]
        return sorted({thresholds[i] for i in best_rows if i is not None})

    def _thresholds(self) -> list[int]:
        """Those that memory, the knob and what works allow, ascending."""
        values = [] if self._rendezvous in self._unusable else [self._rendezvous]
        if self._eager not in self._unusable:
            crossings = [crossing.at_bytes for crossing in self.crossovers().values()]
            values += [_between(low, high, crossings) for low, high in pairwise(self._sizes)]
            values += [self._eager, 1 << self._each_bytes.bit_length() - 1]
        most = max(min(self._eager, self._each_bytes), self._rendezvous)
        return sorted({value for value in values if self._rendezvous <= value <= most})


def _smallest_good(predicted: FloatArray, margin: float) -> int | None:
    """The row of the least mean, or the first that costs nowhere `margin` more; None: nothing is known."""
    count = np.sum(~np.isnan(predicted), axis=1)
    rows = np.flatnonzero(count == np.max(count))  # a protocol that does not work predicts nothing
    known = predicted[rows][:, np.all(~np.isnan(predicted[rows]), axis=0)]
    if not known.size:
        return None
    best = known[int(np.argmin(np.mean(known, axis=1)))]
    return int(rows[np.flatnonzero(np.max(known - best, axis=1) <= margin)[0]])


def _between(low_bytes: int, high_bytes: int, crossings: Sequence[float]) -> int:
    """The power of two in (low, high] that is nearest to where the protocols cross."""
    least, most = low_bytes.bit_length(), max(low_bytes.bit_length(), high_bytes.bit_length() - 1)
    within = [at for at in crossings if low_bytes <= at <= high_bytes]
    wanted = round(float(np.mean(np.log2(within)))) if within else most
    return 1 << min(max(wanted, least), most)
