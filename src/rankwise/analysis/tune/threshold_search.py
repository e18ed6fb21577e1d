"""Up to which size messages should be sent eagerly: three curves predict a few thresholds, which then race."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rankwise.analysis.tune.crossover import Crossover, crossover, crossover_words
from rankwise.analysis.tune.observations import Observations
from rankwise.analysis.tune.race import Race, SearchCriteria
from rankwise.analysis.tune.search import Trial
from rankwise.core.records import DEFAULT, Cell, FloatArray, Launch
from rankwise.core.tuning import Knob, Reason, Setting, Tuning
from rankwise.core.units import format_size

CURVE_ROUNDS = 3
"""In which the curves are measured that predict the candidates."""
STEP_DOWN = 4
"""A threshold with which launches fail is tried again at a fraction of this."""
LEAST_RANGE = 8
"""What is best at the largest size is taken to hold for up to so many times more, at the least."""


class ThresholdSearch:
    """First three trials a round: as it is, everything eager, everything rendezvous; then a race.

    What any threshold would make of any cell (benchmark, placement, size) follows from these curves. Candidates
    are the threshold that is best in the mean of all cells, and those that each benchmark and placement would take
    for itself: of thresholds that cost nowhere delta more than the best the smallest, since eager messages take
    memory. The race decides as any other (`race.Race`).
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
        self.subject = knob.name
        self._knob, self._templates = knob, tuple(templates)
        self._criteria = criteria or SearchCriteria()
        self._sizes = sorted(set(sizes_bytes))
        self._each_bytes, self._peers = max(eager_memory_bytes // max(peers, 1), 1), max(peers, 1)
        self._eager = min(LEAST_RANGE << self._sizes[-1].bit_length(), knob.most or 1 << 62)
        self._rendezvous = knob.least
        self._observed = Observations()
        self._asked: list[Cell] = []
        self._curve_rounds = 0
        """With the present eager threshold."""
        self._unusable: dict[int, str] = {}
        self._race: Race | None = None

    def ask(self) -> tuple[Trial, ...]:
        """Return the next round, in which the default comes first."""
        self._asked = []
        values: list[int | None] = []
        if self._race:
            values = [None if name == DEFAULT else self._value(name) for name in self._race.next_round()]
        elif set(self._unusable) != {self._eager, self._rendezvous}:
            values = [None, *(one for one in (self._eager, self._rendezvous) if one not in self._unusable)]
        trials = []
        for templates in self._together():
            for value in values:
                cells = tuple(
                    self._cell(template, size, value)
                    for template in templates
                    for size in self._sizes
                    if self._race or self._informative(size, value)
                )
                if cells:
                    trials.append(Trial(self._name(value), self._tuning(value), cells))
                    self._asked += cells
        return tuple(trials)

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take a round into account; a threshold that failed more often than the default is not tried again."""
        if not self._asked:
            return
        self._observed.add(self._asked, launches)
        if self._race:
            self._race.update()
            return
        self._curve_rounds += 1
        self._note_failures()
        if self._eager in self._unusable and self._lower():
            self._curve_rounds = 0
        if self._curve_rounds >= CURVE_ROUNDS:
            cells = [self._cell(template, size, None) for template in self._templates for size in self._sizes]
            self._race = Race(cells, map(self._name, self._candidates()), self._observed, self._criteria)

    def best(self) -> Tuning:
        """Return the threshold, or nothing where it is best left as it is."""
        chosen = self._race.selected() if self._race else DEFAULT
        return Tuning() if chosen == DEFAULT else self._tuning(self._value(chosen))

    def crossovers(self) -> dict[Cell, Crossover]:
        """Return where the two protocols cross, for each template that has both at two sizes or more."""
        found = {}
        for template in self._templates:
            curves = {size: self._curves(template, size) for size in self._sizes}
            sizes = [size for size, both in curves.items() if not np.any(np.all(np.isnan(both), axis=1))]
            if len(sizes) > 1:
                eager, rendezvous = np.exp(np.stack([curves[size] for size in sizes], axis=1))
                found[template] = crossover(np.array(sizes, dtype=np.float64), eager, rendezvous)
        return found

    def reasons(self) -> tuple[Reason, ...]:
        """Return the threshold, its gain, where the protocols cross, and what could not be used."""
        chosen = self._race.selected() if self._race else DEFAULT
        words, cost = ["left as it is: no threshold is better for certain without being worse somewhere"], ""
        if self._race and chosen != DEFAULT:
            value, ratio = self._value(chosen), math.exp(self._race.log_ratio(chosen))
            words = [f"{format_size(value)}: {ratio:.2f} times the default's time in the mean"]
            memory, each = format_size(value * self._peers), format_size(value)
            cost = f"up to {memory} a rank for eager messages ({each} for each of {self._peers} peers)"
        words += [
            f"eager is faster {crossover_words(found)} in {cell.benchmark}, placement {cell.placement}"
            for cell, found in self.crossovers().items()
        ]
        left = self._race.left if self._race else {}
        words += [f"{format_size(self._value(name))}: {why}" for name, why in left.items()]
        words += [f"{format_size(value)} is unusable: {why}" for value, why in self._unusable.items()]
        return (Reason(self.subject, "; ".join(words), cost),)

    def exhaustive_launches(self) -> int:
        """Return every threshold between two sizes, both ends and the default, as often."""
        return self._observed.rounds * (len(self._sizes) + 2) * len(self._together())

    def _together(self) -> list[list[Cell]]:
        """Templates that one launch can measure."""
        groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for one in self._templates:
            groups[one.ranks, one.options, one.placement].append(one)
        return list(groups.values())

    def _name(self, value: int | None) -> str:
        return DEFAULT if value is None else f"{self._knob.name}={value}"

    @staticmethod
    def _value(name: str) -> int:
        return int(name.rpartition("=")[2])

    def _tuning(self, value: int | None) -> Tuning:
        return Tuning() if value is None else Tuning((Setting(self._knob.name, str(value)),))

    def _cell(self, template: Cell, size_bytes: int, value: int | None) -> Cell:
        return replace(template, size_bytes=size_bytes, label=self._name(value))

    def _informative(self, size_bytes: int, value: int | None) -> bool:
        """Whether a message of this size goes by the protocol that this threshold stands for."""
        if value == self._rendezvous:
            return size_bytes > value
        return value is None or size_bytes < value

    def _note_failures(self) -> None:
        """Cells that the default cannot do either are nobody's fault."""
        plain = [cell for cell in self._asked if cell.label == DEFAULT]
        beyond = {cell for cell in plain if self._observed.failures([cell]).certain}
        default = self._observed.failures([cell for cell in plain if cell not in beyond])
        for value in (self._eager, self._rendezvous):
            mine = [cell for cell in self._asked if cell.label == self._name(value)]
            failures = self._observed.failures([c for c in mine if replace(c, label=DEFAULT) not in beyond])
            if failures.certain or failures.times > default.times:
                self._unusable[value] = failures.reason

    def _lower(self) -> bool:
        """Take a lower threshold for `everything eager`; False when there is none left to tell anything."""
        lower = self._eager // STEP_DOWN
        if lower <= max(self._sizes[0], self._rendezvous):
            return False
        self._eager = lower
        return True

    # What the curves predict

    def _curves(self, template: Cell, size_bytes: int) -> FloatArray:
        """Logarithms of times, eagerly and by rendezvous, shape (2, rounds); nan: not measured."""
        cells = (self._cell(template, size_bytes, value) for value in (self._eager, self._rendezvous))
        logs: FloatArray = np.stack([self._observed.log_seconds(cell) for cell in cells])
        return logs

    def _predicted(self, template: Cell, thresholds: Sequence[int]) -> FloatArray:
        """Logarithms of time over the default's, shape (thresholds, sizes); nan: unknown."""
        default = [self._observed.log_seconds(self._cell(template, size, None)) for size in self._sizes]
        curves = [self._curves(template, size) - own for size, own in zip(self._sizes, default, strict=True)]
        eager, rendezvous = np.stack([_means(one) for one in curves], axis=1)
        found: FloatArray = np.where(np.array(self._sizes) < np.array(thresholds)[:, None], eager, rendezvous)
        return found

    def _candidates(self) -> list[int]:
        """The smallest thresholds that are as good as the best: for all cells together, and for each template."""
        thresholds = self._thresholds()
        if not thresholds:
            return []
        each = [self._predicted(template, thresholds) for template in self._templates]
        found = [self._smallest_good(np.concatenate(each, axis=1)), *map(self._smallest_good, each)]
        return sorted({thresholds[i] for i in found if i is not None})

    def _smallest_good(self, predicted: FloatArray) -> int | None:
        """The row of the least mean, or the first that costs nowhere delta more; None: nothing is known."""
        count = np.sum(~np.isnan(predicted), axis=1)
        rows = np.flatnonzero(count == np.max(count))  # a protocol that does not work predicts nothing
        known = predicted[rows][:, np.all(~np.isnan(predicted[rows]), axis=0)]
        if not known.size:
            return None
        best = known[int(np.argmin(np.mean(known, axis=1)))]
        return int(rows[np.flatnonzero(np.max(known - best, axis=1) <= self._criteria.margin)[0]])

    def _thresholds(self) -> list[int]:
        """Those that memory, the knob and what works allow, ascending."""
        values = [] if self._rendezvous in self._unusable else [self._rendezvous]
        if self._eager not in self._unusable:
            crossings = [one.at_bytes for one in self.crossovers().values()]
            values += [_between(low, high, crossings) for low, high in pairwise(self._sizes)]
            values += [self._eager, 1 << self._each_bytes.bit_length() - 1]
        most = max(min(self._eager, self._each_bytes), self._rendezvous)
        return sorted({value for value in values if self._rendezvous <= value <= most})


def _means(logs: FloatArray) -> FloatArray:
    """Of each row, without what was not measured; nan where nothing was."""
    measured = ~np.isnan(logs)
    sums = np.sum(np.where(measured, logs, 0.0), axis=1)
    count = np.sum(measured, axis=1)
    means: FloatArray = np.divide(sums, count, out=np.full(len(logs), np.nan), where=count > 0)
    return means


def _between(low_bytes: int, high_bytes: int, crossings: Sequence[float]) -> int:
    """The power of two in (low, high] that is nearest to where the protocols cross."""
    least, most = low_bytes.bit_length(), max(low_bytes.bit_length(), high_bytes.bit_length() - 1)
    found = [at for at in crossings if low_bytes <= at <= high_bytes]
    wanted = round(float(np.mean(np.log2(found)))) if found else most
    return 1 << min(max(wanted, least), most)
