"""Up to which size messages should be sent eagerly: both protocols measured at every size once, then one split."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rankwise.analysis.tune.contrasts import SearchCriteria, contrast
from rankwise.analysis.tune.crossover import Crossover, crossover, crossover_words
from rankwise.analysis.tune.observations import Observations
from rankwise.analysis.tune.search import Trial
from rankwise.analysis.tune.threshold_choice import Option, choose, is_settled
from rankwise.core.records import DEFAULT, Cell, FloatArray, Launch
from rankwise.core.tuning import Knob, Reason, Setting, Tuning
from rankwise.core.units import format_size

STEP_DOWN = 4
"""A threshold with which launches fail is tried again at a fraction of this."""
LEAST_RANGE = 8
"""What is best at the largest size is taken to hold for up to so many times more, at the least."""


class ThresholdSearch:
    """Three trials a round: as it is, everything eager, everything rendezvous.

    What any threshold does to any cell follows from these, so that no threshold has to be tried by itself. The
    one that is chosen is better than the default for certain: by more than delta in the mean of all cells, or in
    the mean at all and by more than delta in one. It makes no cell (benchmark, placement, size) significantly
    slower. Of those it is the smallest that costs nowhere more than delta against the best, since eager messages
    take memory. It is one number for all cells: where they want different ones, the reasons say so.
    """

    def __init__(
        self,
        knob: Knob,
        templates: Sequence[Cell],
        sizes_bytes: Sequence[int],
        criteria: SearchCriteria | None = None,
        *,
        rounds: int = 10,
        eager_memory_bytes: int = 1 << 30,
        peers: int = 1,
    ) -> None:
        """`templates`: benchmarks and placements of one implementation, which get a size and a label.

        `rounds` is the most; fewer do where one is better for certain, or none can be.
        `eager_memory_bytes` is what one rank may keep for eager messages of `peers` others.
        """
        self.subject = knob.name
        self._knob, self._templates, self._rounds = knob, tuple(templates), rounds
        self._criteria = criteria or SearchCriteria()
        self._sizes = sorted(set(sizes_bytes))
        self._memory, self._peers = eager_memory_bytes, max(peers, 1)
        self._eager = min(LEAST_RANGE << self._sizes[-1].bit_length(), knob.most or 1 << 62)
        self._rendezvous = knob.least
        self._observed = Observations()
        self._asked: list[Cell] = []
        self._since = 0
        """The round in which the present eager threshold was first tried."""
        self._unusable: dict[int, str] = {}
        self._done = False
        self._known: tuple[int, dict[Cell, Crossover]] = (-1, {})
        """The crossovers, and after how many rounds."""

    @property
    def launches(self) -> int:
        """Used so far; those shared with other searches count in full."""
        return self._observed.launches.total()

    def ask(self) -> tuple[Trial, ...]:
        """Return the next round, in which the default comes first."""
        self._asked = []
        if self._done:
            return ()
        trials = []
        values = [None, *(value for value in (self._eager, self._rendezvous) if value not in self._unusable)]
        for templates in self._together():
            for value in values:
                cells = tuple(
                    self._cell(template, size, value)
                    for template in templates
                    for size in self._sizes
                    if self._informative(size, value)
                )
                if cells:
                    trials.append(Trial(self._name(value), self._tuning(value), cells))
                    self._asked += cells
        return tuple(trials)

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take a round into account; a threshold that failed more often than the default is not tried again."""
        self._observed.add(self._asked, launches)
        plain = [cell for cell in self._asked if cell.label == DEFAULT]
        beyond = {cell for cell in plain if self._observed.failures([cell]).certain}  # nobody's fault
        default = self._observed.failures([cell for cell in plain if cell not in beyond])
        for value in (self._eager, self._rendezvous):
            mine = [cell for cell in self._asked if cell.label == self._name(value)]
            failures = self._observed.failures([c for c in mine if replace(c, label=DEFAULT) not in beyond])
            if failures.certain or failures.times > default.times:
                self._unusable[value] = failures.reason
        if self._eager in self._unusable and self._lower():
            self._since = self._observed.rounds
        rounds = self._observed.rounds - self._since
        over = rounds >= self._rounds or {self._eager, self._rendezvous} <= set(self._unusable)
        self._done = over or (rounds >= self._criteria.min_rounds and is_settled(self._options(), self._criteria))

    def best(self) -> Tuning:
        """Return the threshold, or nothing where it is best left as it is."""
        chosen = choose(self._options(), self._criteria)
        return self._tuning(chosen.value) if chosen else Tuning()

    def crossovers(self) -> dict[Cell, Crossover]:
        """Return where the two protocols cross, for each template that has both at two sizes or more."""
        if self._known[0] != self._observed.rounds:
            found = {}
            for template in self._templates:
                sizes = self._both(template)
                if len(sizes) > 1:
                    eager, rendezvous = (
                        self._seconds(template, sizes, value) for value in (self._eager, self._rendezvous)
                    )
                    found[template] = crossover(np.array(sizes, dtype=np.float64), eager, rendezvous)
            self._known = self._observed.rounds, found
        return self._known[1]

    def reasons(self) -> tuple[Reason, ...]:
        """Return the threshold, its gain, where the protocols cross, conflicts, and what could not be used."""
        chosen = choose(self._options(), self._criteria)
        words, cost = ["left as it is: no threshold is better for certain without being worse somewhere"], ""
        if chosen:
            words = [
                f"{format_size(chosen.value)}: {math.exp(chosen.mean):.2f} times the default's time in the mean"
            ]
            memory, each = format_size(chosen.value * self._peers), format_size(chosen.value)
            cost = f"up to {memory} a rank for eager messages ({each} for each of {self._peers} peers)"
        words += [
            f"eager is faster {crossover_words(found)} in {_way(cell)}"
            for cell, found in self.crossovers().items()
        ]
        words += self._conflicts(chosen)
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

    def _tuning(self, value: int | None) -> Tuning:
        return Tuning() if value is None else Tuning((Setting(self._knob.name, str(value)),))

    def _cell(self, template: Cell, size_bytes: int, value: int | None) -> Cell:
        return replace(template, size_bytes=size_bytes, label=self._name(value))

    def _informative(self, size_bytes: int, value: int | None) -> bool:
        """Whether a message of this size goes by the protocol that this threshold stands for."""
        if value == self._rendezvous:
            return size_bytes > value
        return value is None or size_bytes < value

    def _lower(self) -> bool:
        """Take a lower threshold for `everything eager`; False when there is none left to tell anything."""
        lower = self._eager // STEP_DOWN
        if lower <= max(self._sizes[0], self._rendezvous):
            return False
        self._eager = lower
        return True

    def _measured(self, cell: Cell) -> bool:
        return int(np.sum(~np.isnan(self._observed.log_seconds(cell)))) >= min(
            self._criteria.min_rounds, self._rounds
        )

    def _seconds(self, template: Cell, sizes_bytes: Sequence[int], value: int) -> FloatArray:
        """Of every round, shape (sizes, rounds), nan where one was not measured."""
        logs = [self._observed.log_seconds(self._cell(template, size, value)) for size in sizes_bytes]
        seconds: FloatArray = np.exp(np.stack(logs))
        return seconds

    def _both(self, template: Cell) -> list[int]:
        values = (self._eager, self._rendezvous)
        return [
            size for size in self._sizes if all(self._measured(self._cell(template, size, one)) for one in values)
        ]

    def _options(self) -> list[Option]:
        """Every threshold that memory, the knob and what works allow, ascending, with what it would do."""
        values = [] if self._rendezvous in self._unusable else [self._rendezvous]
        if self._eager not in self._unusable:
            values += [self._between(low, high) for low, high in pairwise(self._sizes)]
            values.append(self._eager)
        each = max(self._memory // self._peers, 1)
        values += [1 << each.bit_length() - 1] if self._eager not in self._unusable else []
        most = max(min(self._eager, each), self._rendezvous)
        allowed = {value for value in values if self._rendezvous <= value <= most}
        options = [option for value in sorted(allowed) if (option := self._option(value))]
        cells = max((len(one.cells) for one in options), default=0)
        return [one for one in options if len(one.cells) == cells]

    def _option(self, threshold: int) -> Option | None:
        """Without cells that have no measurement of their own protocol; None if there are no others."""
        cells, ours, plain = {}, [], []
        for template in self._templates:
            for size in self._sizes:
                cell = self._cell(template, size, self._eager if size < threshold else self._rendezvous)
                default = self._cell(template, size, None)
                if self._measured(cell) and self._measured(default):
                    ours.append(self._observed.log_seconds(cell))
                    plain.append(self._observed.log_seconds(default))
                    cells[cell] = contrast(ours[-1], plain[-1])
        if not cells:
            return None
        return Option(threshold, cells, contrast(np.mean(ours, axis=0), np.mean(plain, axis=0)))

    def _between(self, low: int, high: int) -> int:
        """The power of two in (low, high] that is nearest to where the protocols cross."""
        least, most = low.bit_length(), max(low.bit_length(), high.bit_length() - 1)
        found = [one.at_bytes for one in self.crossovers().values() if low <= one.at_bytes <= high]
        wanted = round(float(np.mean(np.log2(found)))) if found else most
        return 1 << min(max(wanted, least), most)

    def _conflicts(self, chosen: Option | None) -> list[str]:
        """Templates that another threshold would suit better, by more than delta in the mean of their sizes."""
        options = self._options()
        said = []
        for template in self._templates if options else ():
            ratios = {one.value: one.ratios() for one in options}
            own = [c for c in ratios[options[0].value] if replace(c, size_bytes=template.size_bytes) == template]
            means = {value: float(np.mean([each[c] for c in own])) for value, each in ratios.items() if own}
            if not means:
                continue
            wish = min(means, key=lambda value: means[value])
            now = means[chosen.value] if chosen else 0.0
            if now - means[wish] > self._criteria.margin:
                said.append(
                    f"{_way(template)} alone would take {format_size(wish)} "
                    f"({math.exp(means[wish] - now):.2f} times this time)"
                )
        return said


def _way(cell: Cell) -> str:
    return f"{cell.benchmark}, placement {cell.placement}"
