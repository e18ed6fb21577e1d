"""A race: which of several candidates is better than the default on one set of cells?

After each round those candidates leave that fail or are shown to lose, and the others are measured again (Maron
and Moore 1994; Birattari and others 2002). One bound at one level (`stats.bound`) decides on both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.analysis.labels import cell_words
from rankwise.analysis.tune.observations import Observations
from rankwise.core.records import DEFAULT, Cell, FloatArray
from rankwise.stats.bound import Bounded, bounded
from rankwise.stats.summary import mean_of_measured


@dataclass(frozen=True, slots=True)
class SearchCriteria:
    """What counts as a difference, and how long to look for one."""

    delta: float = 0.05
    """Relative differences below this do not matter."""
    alpha: float = 0.05
    """How likely a race may be to select anything where nothing is better."""
    min_rounds: int = 3
    """Before little is selected: launches that take one of two times look steady."""
    max_rounds: int = 12
    quantile: float = 0.5
    """Of a launch's repetitions, which is compared: 0.5 the median, 0.99 where tails matter."""

    @property
    def margin(self) -> float:
        """The logarithm of a difference that matters."""
        return float(np.log1p(self.delta))


AGAIN = "default again"
"""The label of the default's second arm, where launches have room for one."""
FAR_BEHIND, FAR_BEHIND_ALL = math.log(2.5), math.log(8)
"""What is so far behind the best in one round need not be measured again, nor half of that in two: more noise
loses a candidate, but makes none. That is within launches: whole ones may have modes up to four times apart."""
LARGE, LARGE_ROUNDS = math.log(1.25), 2
"""What gains so much for certain is selected after so few rounds within launches: the bound holds then as well."""


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Neighbouring sizes in which a candidate is faster than the default for certain, slower, or neither.

    All ratios are logarithms.
    """

    first: Cell
    last: Cell
    least: float
    most: float
    """Of the ratios of its cells."""
    low: float
    high: float
    """No ratio is beyond these for certain."""

    def is_alike(self, other: SizeClass) -> bool:
        """Return whether both say the same of the same operation, and about as much."""
        if max(self.most, other.most) - min(self.least, other.least) > LARGE:
            return False
        last, two = self.last, other.first
        return (last.benchmark, last.ranks, last.options, last.placement, self._sign) == (
            two.benchmark, two.ranks, two.options, two.placement, other._sign
        )  # fmt: skip

    @property
    def _sign(self) -> int:
        return int(self.low > 0) - int(self.high < 0)


class Race:
    """Candidates are labels; what is compared are logarithms of times, and their weighted mean over all cells.

    A candidate leaves when it failed more often than the default, is shown to be slower than the default in any
    cell or is far behind the best in the mean, or cannot be shown any more, in the rounds that there may be, to be
    better by delta than the default (in the mean or in any cell) or than the one selected so far. The selected
    one is shown to be better than the default by delta: in the mean, or in one cell if the mean seems better too,
    since what helps large messages alone is worth having. The level is corrected for the candidates and for what
    is judged of each.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        candidates: Iterable[str],
        observed: Observations,
        criteria: SearchCriteria,
        calls: Sequence[float] = (),
        *,
        replaces_default: bool = False,
        checks: bool = False,
    ) -> None:
        """`cells`: templates that get the candidate's label; `observed`: what was measured, maybe for others too.

        `calls`: how often each cell comes in what is tuned for: its weight is that times the default's time in
        it; none: all cells weigh the same. `replaces_default`: one of them may have to be taken in the default's
        place, so what is not shown to be slower than it stays. `checks`: the default has two arms (`bias`).
        """
        self.cells = tuple(cells)
        """Those that count, without any that the default cannot do."""
        self.candidates = tuple(candidates)
        self.remaining = list(self.candidates)
        self.left: dict[str, str] = {}
        """Why, in words, by candidate ..."""
        self.excluded: set[str] = set()
        """... and those that must not be selected even where they seem fast: failed, or slower in a cell."""
        self.failed: dict[str, str] = {}
        self.finished = not self.remaining
        self.rounds = 0
        self._observed, self._criteria, self._replaces_default = observed, criteria, replaces_default
        self._default = (DEFAULT, AGAIN) if checks else (DEFAULT,)
        self._calls = dict(zip(self.cells, calls, strict=True)) if any(calls) else {}
        self._known: dict[str, list[Bounded]] = {}

    def next_round(self) -> tuple[str, ...]:
        """Return what is to be measured next, the default first; nothing once it is finished."""
        return () if self.finished else (*self._default, *self.remaining)

    def add(self, names: Iterable[str]) -> None:
        """Let candidates join late, unless it is finished; those that were in it before do not come back."""
        new = [] if self.finished else [name for name in dict.fromkeys(names) if name not in self.candidates]
        self.candidates += tuple(new)
        self.remaining += new
        self._known = {}

    def update(self) -> None:
        """Let candidates leave after a round in which all of `next_round` were measured; it may be the last."""
        self.rounds += 1
        self._known = {}
        self.cells = self._observed.comparable(self.cells)
        self._leave_failed()
        if self.cells:
            self._leave_slower()
            self._leave_without_gain()
        over = not self.cells or not self.remaining or self.rounds >= self._criteria.max_rounds
        self.finished = over or self.remaining == [self.selected()]

    def exclude(self, unusable: Mapping[str, str]) -> None:
        """Exclude those that were seen to be unusable elsewhere, and why."""
        for name in [name for name in self.candidates if name in unusable]:
            self._leave(name, unusable[name], exclude=True)
        self.finished = self.finished or not self.remaining

    def selected(self) -> str:
        """Return the best of those shown to be better than the default by more than delta; else the default."""
        better = [name for name in self.remaining if self._is_better(name)]
        return min(better, key=self.log_ratio, default=DEFAULT)

    def likely(self) -> str:
        """Return the best that is faster by much in every round in some cell, though nothing is certain.

        Worth a validation, which is a test of its own; else the default.
        """
        known = self.gaining() if self.rounds >= LARGE_ROUNDS else []
        known = [name for name in known if self.log_ratio(name) < -self._criteria.margin]
        return min(known, key=self.log_ratio, default=DEFAULT)

    def gaining(self) -> list[str]:
        """Return those that are faster by much in every round in some cell, and slower by much in none."""

        def differences(name: str) -> FloatArray:
            each = [
                [self._observed.log_seconds(replace(cell, label=arm))[-self.rounds :] for arm in (name, DEFAULT)]
                for cell in self.cells
            ]
            both: FloatArray = np.array(each)  # (cells, 2, rounds); nan: a round did not measure it
            gap: FloatArray = both[:, 0] - both[:, 1]
            return gap

        def gains(name: str) -> bool:
            gap = differences(name)
            return bool(np.any(np.all(gap < -LARGE, axis=1)) and not np.any(mean_of_measured(gap) > LARGE))

        known = [name for name in self.candidates if name not in self.excluded] if self.cells else []
        return [name for name in known if gains(name)]

    def log_ratio(self, name: str) -> float:
        """Return the logarithm of its time over the default's; infinite if it must not or cannot be selected."""
        if name == DEFAULT:
            return 0.0
        ratio = np.nan if name not in self.candidates or name in self.excluded else self.interval(name)[0]
        return ratio if np.isfinite(ratio) else float("inf")

    def seconds_lost(self) -> float:
        """Return how much longer the default takes than the best so far; 0 where it is measured no more."""
        best = min(map(self.log_ratio, (DEFAULT, *self.candidates)))
        return (1 - math.exp(best)) * sum(
            self._calls.get(cell, 1.0) * float(np.nansum(np.exp(self._observed.log_seconds(cell)[-1:])))
            for cell in (replace(cell, label=DEFAULT) for cell in self.cells)
        )

    def bias(self) -> float:
        """Return the logarithm by which the default is shown to differ from itself; 0 where it is not shown to.

        Launches favour one arm then, by what no noise explains: a gain has to be as much larger.
        """
        known = self._compared() if self.cells and self.candidates else []
        shown = (
            abs(float(comparison.log_ratio[-1]))
            for comparison in known
            if comparison.low[-1] > 0 or comparison.high[-1] < 0
        )
        return max(shown, default=0.0)

    def interval(self, name: str) -> tuple[float, float, float]:
        """Return that of any candidate with the bounds; nan and infinite ones where it was never measured."""
        if not self.cells:
            return np.nan, -np.inf, np.inf
        whole, at = self._compared()[0], self.candidates.index(name)
        return float(whole.log_ratio[at]), float(whole.low[at]), float(whole.high[at])

    def classes(self, name: str) -> list[SizeClass]:
        """Return a candidate's ratios by benchmark, ranks and placement: neighbouring sizes that differ alike."""
        if name not in self.candidates or not self.cells:
            return []
        at, compared = self.candidates.index(name), self._compared()
        each = compared[1:] or compared
        classes: list[SizeClass] = []
        ordered = sorted(
            zip(self.cells, each, strict=True),
            key=lambda pair: (pair[0].benchmark, pair[0].ranks, pair[0].placement, pair[0].size_bytes),
        )
        for cell, comparison in ordered:
            log_ratio, low, high = (
                float(comparison.log_ratio[at]),
                float(comparison.low[at]),
                float(comparison.high[at]),
            )
            if math.isnan(log_ratio):
                continue
            own = SizeClass(cell, cell, log_ratio, log_ratio, low, high)
            last = classes[-1] if classes else None
            if last and last.is_alike(own):
                classes[-1] = SizeClass(
                    last.first, cell, min(last.least, log_ratio), max(last.most, log_ratio), min(last.low, low),
                    max(last.high, high),
                )  # fmt: skip
            else:
                classes.append(own)
        return classes

    def _compared(self, baseline: str = DEFAULT) -> list[Bounded]:
        """All candidates with a baseline: the mean over the cells, then each cell, where there are several.

        The last row is the default's second arm.
        """
        if baseline not in self._known:
            names = (DEFAULT, *self.candidates, AGAIN)
            each = np.array(
                [[self._observed.log_seconds(replace(cell, label=name)) for name in names] for cell in self.cells]
            )  # (cells, names, rounds)
            whole = np.tensordot(self._weights(each[:, 0]), each, 1)
            judged = [whole, *(each if len(self.cells) > 1 else ())]
            level = 2 * self._criteria.alpha / (len(self.candidates) * len(judged))  # one side selects
            at, most = names.index(baseline), self._criteria.max_rounds
            self._known[baseline] = [bounded(arms[1:], arms[at], level, most) for arms in judged]
        return self._known[baseline]

    def _weights(self, default: FloatArray) -> FloatArray:
        """Of each cell, from its calls and the default's times, shape (cells, rounds)."""
        calls = np.array([self._calls.get(cell, 0.0) for cell in self.cells])
        known = np.any(~np.isnan(default), axis=1)
        spent = np.zeros(len(self.cells))
        spent[known] = calls[known] * np.exp(np.nanmedian(default[known], axis=1))
        alike = np.full(len(self.cells), 1 / len(self.cells))
        return spent / np.sum(spent) if np.sum(spent) > 0 else alike

    def _is_better(self, name: str) -> bool:
        is_early = self.rounds < self._criteria.min_rounds
        if not self.cells or self.rounds < LARGE_ROUNDS or (is_early and not self._is_within_launches()):
            return False
        whole, *each = self._compared()
        margin = (LARGE if is_early else self._criteria.margin) + self.bias()
        at = self.candidates.index(name)
        some = any(comparison.high[at] < -margin for comparison in each)
        return bool(whole.high[at] < -margin or (whole.log_ratio[at] < 0 and some))

    def _is_within_launches(self) -> bool:
        """Whether one launch compares all: it has both arms of the default, and these do not differ much."""
        again = float(self._compared()[0].log_ratio[-1])
        return not self._replaces_default and abs(again) < LARGE  # nan: there is no second arm

    def _leave(self, name: str, why: str, *, exclude: bool = False) -> None:
        if name in self.remaining:
            self.remaining.remove(name)
            self.left[name] = why
        if exclude:
            self.excluded.add(name)

    def _leave_failed(self) -> None:
        """Whoever failed; and all of them where there is no cell that the default can do."""
        if not self.cells:
            self.excluded.update(self.candidates)
            self.remaining = []
        for name in tuple(self.remaining):
            if why := self._observed.why_unusable(self.cells, name):
                self.failed[name] = f"unusable: {why}"
                self._leave(name, self.failed[name], exclude=True)

    def _leave_slower(self) -> None:
        """Who is slower than the default in any cell must not be selected."""
        whole, *each = self._compared()
        least = self._criteria.margin / 2 if self._replaces_default else 0
        best = min(map(self.log_ratio, (DEFAULT, *self.remaining)))
        is_alone = len(self.cells) == 1 and self._is_within_launches()  # else the best may be excluded elsewhere
        for name in tuple(self.remaining):
            at = self.candidates.index(name)
            most = best + FAR_BEHIND / max(whole.rounds[at], 1) if is_alone else FAR_BEHIND_ALL
            slower = [
                (comparison.log_ratio[at], cell)
                for comparison, cell in zip(each, self.cells, strict=False)
                if comparison.low[at] > 0
            ]
            if slower:
                self._leave(name, f"slower than the default {cell_words(max(slower)[1])}", exclude=True)
            elif whole.low[at] > least or whole.log_ratio[at] > most:
                self._leave(name, f"{np.exp(whole.log_ratio[at]):.2f} times the default's time")

    def _leave_without_gain(self) -> None:
        """Whoever cannot be shown any more to be better by delta has nothing to win."""
        if not self._replaces_default:
            self._leave_hopeless(self._compared(), "times the default's time")
        if (best := self.selected()) != DEFAULT:
            self._leave_hopeless(self._compared(best)[:1], f"times the time of {best}", spared=best)

    def _leave_hopeless(self, compared: Sequence[Bounded], reason: str, spared: str = "") -> None:
        """Whoever is not likely to be shown better in the last round, or seems worse than that after a few."""
        margin, few = self._criteria.margin + self.bias(), LARGE_ROUNDS if self._is_within_launches() else np.inf
        for name in tuple(self.remaining):
            at = self.candidates.index(name)
            seems_worse = compared[0].rounds[at] >= few and all(
                comparison.log_ratio[at] > self._criteria.margin / 2 for comparison in compared
            )
            if name != spared and (
                seems_worse or all(comparison.least_high[at] > -margin for comparison in compared)
            ):
                self._leave(name, f"{np.exp(compared[0].log_ratio[at]):.2f} {reason}")
