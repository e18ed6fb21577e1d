"""A race: which of several candidates is better than the default on one set of cells?

After each round those candidates leave that fail or are shown to lose, and the others are measured again (Maron
and Moore 1994; Birattari and others 2002). One bound (`bound`) at one level decides on leaving and winning alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.analysis.tune.bound import Bounded, bounded
from rankwise.analysis.tune.observations import Observations, cell_words
from rankwise.core.records import DEFAULT, Cell, FloatArray

MOST_DEFAULT_FAILURES = 3
"""Failures of the default in a cell after which there is nothing to compare with there."""


@dataclass(frozen=True, slots=True)
class SearchCriteria:
    """What counts as a difference, and how long to look for one."""

    delta: float = 0.05
    """Relative differences below this do not matter."""
    alpha: float = 0.05
    """How likely a race may be to select anything where nothing is better."""
    min_rounds: int = 3
    """Before nothing is selected: launches that take one of two times look steady."""
    max_rounds: int = 12

    @property
    def margin(self) -> float:
        """The logarithm of a difference that matters."""
        return float(np.log1p(self.delta))


class Race:
    """Candidates are labels; what is compared are logarithms of times, and their weighted mean over all cells.

    A candidate leaves when it failed more often than the default, is shown to be slower than the default in any
    cell, or cannot be shown any more, in the rounds that there may be, to be better by delta than the default (in
    the mean or in any cell) or than the one selected so far. The selected one is shown to be better than the
    default by delta: in the mean, or in one cell if the mean seems better too, since what helps large messages
    alone is worth having. The level is corrected for the candidates and for what is judged of each.
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
    ) -> None:
        """`cells`: templates that get the candidate's label; `observed`: what was measured, maybe for others too.

        `calls`: how often each cell comes in what is tuned for: its weight is that times the default's time in
        it; none: all cells weigh the same. `replaces_default`: one of them may have to be taken in the default's
        place, so what is not shown to be slower than it stays.
        """
        self.cells = tuple(cells)
        """Those that count, without any that the default cannot do."""
        self.candidates = tuple(candidates)
        self.remaining = list(self.candidates)
        self.left: dict[str, str] = {}
        """Why, in words, by candidate ..."""
        self.excluded: set[str] = set()
        """... and those that must not be selected even where they seem fast: failed, or slower in a cell."""
        self.finished = not self.remaining
        self.rounds = 0
        self._observed, self._criteria, self._replaces_default = observed, criteria, replaces_default
        self._calls = dict(zip(self.cells, calls, strict=True)) if any(calls) else {}
        self._bounds: tuple[Bounded, list[Bounded]] | None = None

    def next_round(self) -> tuple[str, ...]:
        """Return what is to be measured next, the default first; nothing once it is finished."""
        return () if self.finished else (DEFAULT, *self.remaining)

    def add(self, names: Iterable[str]) -> None:
        """Let candidates join late, unless it is finished; those that were in it before do not come back."""
        new = [] if self.finished else [name for name in dict.fromkeys(names) if name not in self.candidates]
        self.candidates += tuple(new)
        self.remaining += new
        self._bounds = None

    def update(self) -> None:
        """Let candidates leave after a round in which all of `next_round` were measured; it may be the last."""
        self.rounds += 1
        self._bounds = None
        self._drop_cells_without_default()
        self._leave_failed()
        if self.cells:
            self._leave_slower()
            self._leave_without_gain()
        over = not self.cells or not self.remaining or self.rounds >= self._criteria.max_rounds
        self.finished = over or self._settled()

    def exclude(self, unusable: Mapping[str, str]) -> None:
        """Exclude those that were seen to be unusable elsewhere, and why."""
        for name in [name for name in self.candidates if name in unusable]:
            self.excluded.add(name)
            if name in self.remaining:
                self._leave(name, unusable[name])
        self.finished = self.finished or not self.remaining

    def selected(self) -> str:
        """Return the best of those shown to be better than the default by more than delta; else the default."""
        better = [name for name in self.remaining if self._is_better(name)]
        return min(better, key=self.log_ratio, default=DEFAULT)

    def log_ratio(self, name: str) -> float:
        """Return the logarithm of its time over the default's; infinite if it must not or cannot be selected."""
        if name == DEFAULT:
            return 0.0
        if name not in self.candidates or name in self.excluded or not self.cells:
            return float("inf")
        found = float(self._whole.log_ratio[self.candidates.index(name)])
        return found if np.isfinite(found) else float("inf")

    def interval(self, name: str) -> tuple[float, float, float]:
        """Return that of any candidate with the bounds; nan and infinite ones where it was never measured."""
        if not self.cells:
            return np.nan, -np.inf, np.inf
        whole, at = self._whole, self.candidates.index(name)
        return float(whole.log_ratio[at]), float(whole.low[at]), float(whole.high[at])

    # What the rounds say

    @property
    def _whole(self) -> Bounded:
        return self._compared()[0]

    def _compared(self) -> tuple[Bounded, list[Bounded]]:
        """All candidates with the default: the mean over the cells, then each cell, where there are several."""
        if self._bounds is None:
            each = np.stack([self._logs(cell) for cell in self.cells])  # (cells, 1 + candidates, rounds)
            whole = np.tensordot(self._weights(each[:, 0]), each, 1)
            parts = each if len(self.cells) > 1 else each[:0]
            level = self._level()
            most = self._criteria.max_rounds
            self._bounds = (
                bounded(whole[1:], whole[0], level, most),
                [bounded(one[1:], one[0], level, most) for one in parts],
            )
        return self._bounds

    def _level(self) -> float:
        judged = 1 + (len(self.cells) if len(self.cells) > 1 else 0)
        return self._criteria.alpha / (len(self.candidates) * judged)

    def _logs(self, cell: Cell) -> FloatArray:
        """Those of the default and of each candidate, shape (1 + candidates, rounds)."""
        names = (DEFAULT, *self.candidates)
        return np.stack([self._observed.log_seconds(replace(cell, label=name)) for name in names])

    def _weights(self, default: FloatArray) -> FloatArray:
        """Of each cell, from its calls and the default's times, shape (cells, rounds)."""
        calls = np.array([self._calls.get(cell, 0.0) for cell in self.cells])
        known = np.any(~np.isnan(default), axis=1)
        spent = np.zeros(len(self.cells))
        spent[known] = calls[known] * np.exp(np.nanmedian(default[known], axis=1))
        alike = np.full(len(self.cells), 1 / len(self.cells))
        return spent / np.sum(spent) if np.sum(spent) > 0 else alike

    def _is_better(self, name: str) -> bool:
        if self.rounds < self._criteria.min_rounds or not self.cells:
            return False
        whole, each = self._compared()
        at, margin = self.candidates.index(name), self._criteria.margin
        some = any(one.high[at] < -margin for one in each)
        return bool(whole.high[at] < -margin or (whole.log_ratio[at] < 0 and some))

    def _settled(self) -> bool:
        """Whether nothing that remains could be selected in place of the one that is."""
        return self.remaining == [self.selected()]

    # Leaving

    def _leave(self, name: str, why: str, *, exclude: bool = False) -> None:
        self.remaining.remove(name)
        self.left[name] = why
        if exclude:
            self.excluded.add(name)

    def _drop_cells_without_default(self) -> None:
        """Cells that the default itself cannot do do not count; without any other it is over."""
        kept = []
        for cell in self.cells:
            failures = self._observed.failures([replace(cell, label=DEFAULT)])
            if not failures.certain and failures.times < MOST_DEFAULT_FAILURES:
                kept.append(cell)
        self.cells = tuple(kept)
        if not kept:
            self.excluded.update(self.candidates)
            self.remaining = []

    def _leave_failed(self) -> None:
        usual = self._observed.failures([replace(cell, label=DEFAULT) for cell in self.cells]).times
        for name in tuple(self.remaining):
            failures = self._observed.failures([replace(cell, label=name) for cell in self.cells])
            if failures.certain or failures.times > usual:
                self._leave(name, f"unusable: {failures.reason}", exclude=True)

    def _leave_slower(self) -> None:
        """Who is slower than the default in any cell must not be selected."""
        whole, each = self._compared()
        for name in tuple(self.remaining):
            at = self.candidates.index(name)
            slower = [
                (one.log_ratio[at], cell) for one, cell in zip(each, self.cells, strict=False) if one.low[at] > 0
            ]
            if slower:
                self._leave(name, f"slower than the default {cell_words(max(slower)[1])}", exclude=True)
            elif whole.low[at] > (self._criteria.margin / 2 if self._replaces_default else 0):
                self._leave(name, f"{np.exp(whole.log_ratio[at]):.2f} times the default's time")

    def _leave_without_gain(self) -> None:
        """Whoever cannot be shown any more to be better by delta has nothing to win."""
        margin = self._criteria.margin

        def hopeless(one: Bounded, at: int) -> bool:
            return bool(one.low[at] > -margin - one.final_radius[at])

        if not self._replaces_default:
            whole, each = self._compared()
            for name in tuple(self.remaining):
                at = self.candidates.index(name)
                if all(hopeless(one, at) for one in (whole, *each)):
                    self._leave(name, f"{np.exp(whole.log_ratio[at]):.2f} times the default's time")
        best = self.selected()
        if best == DEFAULT:
            return
        against = self._against(best)
        for name in tuple(self.remaining):
            at = self.candidates.index(name)
            if name != best and hopeless(against, at):
                self._leave(name, f"{np.exp(against.log_ratio[at]):.2f} times the time of {best}")

    def _against(self, best: str) -> Bounded:
        each = np.stack([self._logs(cell) for cell in self.cells])
        whole = np.tensordot(self._weights(each[:, 0]), each, 1)
        own = whole[1 + self.candidates.index(best)]
        return bounded(whole[1:], own, self._level(), self._criteria.max_rounds)
