"""A race between candidates and the default on one set of cells: round by round, who is out, and is it over?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.tune.evidence import Contrast, Rigour, contrast, ends, p_values
from rankwise.analysis.tune.ledger import Ledger
from rankwise.core.records import Cell, FloatArray
from rankwise.core.tuning import DEFAULT
from rankwise.core.units import format_size
from rankwise.stats.tests import holm

FEW_ROUNDS, FAR_BEHIND = 2, float(np.log(1.25))
"""Who takes a quarter longer than the default in each of so many rounds is not tried again."""
HOPELESS = 3
"""Failures of the default in a cell after which there is nothing to compare with there."""


class Contest:
    """Candidates are profiles' names; what is compared is the weighted mean of the logarithms of all cells' times.

    A candidate leaves as soon as it failed more often than the default, is shown not to be better by `delta`, is
    slower than the default beyond `delta` in any one cell, or is behind the best candidate. It stays out: looking
    again every round can thus only make a search miss a gain. That a winner is better than the default is tested
    by itself, with `delta` to overcome, and corrected for the number of candidates.
    """

    def __init__(
        self, cells: Sequence[Cell], candidates: Iterable[str], rigour: Rigour, weights: Sequence[float] = ()
    ) -> None:
        """`cells`: templates, whose profile is put in; `weights`: one a cell, none: all the same."""
        self.cells = tuple(cells)
        self.candidates = tuple(candidates)
        self.alive = list(self.candidates)
        self.out: dict[str, str] = {}
        """Why, in words, by candidate ..."""
        self.barred: set[str] = set()
        """... and those that must not be chosen even where they seem fast: failed, or slower in a cell."""
        self.closed = not self.alive
        share = np.array(weights or [1.0] * len(self.cells), dtype=np.float64)
        self._weights = share / np.sum(share)
        self._rigour = rigour
        self._rounds = 0
        self._won: tuple[tuple[int, int], str] = ((-1, 0), DEFAULT)
        """The winner, and after how many rounds and bars."""

    def wanted(self) -> tuple[str, ...]:
        """Whose turn it is in the next round, the default first; none once it is over."""
        return () if self.closed else (DEFAULT, *self.alive)

    def of(self, name: str) -> list[Cell]:
        """The cells as this candidate measures them."""
        return [replace(cell, profile=name) for cell in self.cells]

    def settle(self, ledger: Ledger) -> None:
        """After a round in which `wanted` were measured: who leaves, and is it over?"""
        self._rounds += 1
        self._leave_out(ledger)
        self._drop_failed(ledger)
        self._drop_hopeless(ledger)
        known = self._against_default(ledger)
        if known:
            self._drop_useless(ledger, known)
            self._drop_behind(ledger)
        over = not self.cells or not self.alive or self._rounds >= self._rigour.max_rounds
        self.closed = over or self._decided(ledger)

    def bar(self, unusable: Mapping[str, str]) -> None:
        """Whoever proved unusable elsewhere is out here too."""
        for name in [name for name in self.candidates if name in unusable]:
            self.barred.add(name)
            if name in self.alive:
                self._leave(name, unusable[name])
        self.closed = self.closed or not self.alive

    def winner(self, ledger: Ledger) -> str:
        """The best that is better than the default for certain, by more than delta; else the default."""
        key = (self._rounds, len(self.barred))
        if self._won[0] != key:
            self._won = key, self._find_winner(ledger)
        return self._won[1]

    def _find_winner(self, ledger: Ledger) -> str:
        sure = [name for name in self.alive if self._sure(name, ledger)]
        return min(sure, key=lambda name: self.against(name, ledger).log_ratio, default=DEFAULT)

    def against(self, name: str, ledger: Ledger) -> Contrast:
        """The candidate against the default, all cells together."""
        return contrast(self._score(name, ledger), self._score(DEFAULT, ledger))

    def cost(self, name: str, ledger: Ledger) -> float:
        """Logarithm of its time over the default's; infinite for what must not or cannot be chosen."""
        if name == DEFAULT:
            return 0.0
        allowed = name in self.candidates and name not in self.barred
        found = self.against(name, ledger) if allowed else None
        return found.log_ratio if found and found.rounds >= self._rigour.min_rounds else float("inf")

    def _score(self, name: str, ledger: Ledger) -> FloatArray:
        """Weighted mean of the cells' logarithms by round, nan where one is missing."""
        logs = np.stack([ledger.log_seconds(cell) for cell in self.of(name)])
        found: FloatArray = self._weights @ logs
        return found

    def _leave(self, name: str, why: str, *, barred: bool = False) -> None:
        self.alive.remove(name)
        self.out[name] = why
        if barred:
            self.barred.add(name)

    def _leave_out(self, ledger: Ledger) -> None:
        """Cells that the default itself cannot do are no part of the contest; without any it is over."""
        troubles = [ledger.trouble([cell]) for cell in self.of(DEFAULT)]
        sound = [i for i, one in enumerate(troubles) if not one.certain and one.times < HOPELESS]
        if len(sound) < len(self.cells):
            self.cells = tuple(self.cells[i] for i in sound)
            kept = self._weights[sound]
            self._weights = kept / np.sum(kept)
        if not self.cells:
            self.barred.update(self.candidates)
            self.alive = []

    def _drop_failed(self, ledger: Ledger) -> None:
        default = ledger.trouble(self.of(DEFAULT))
        for name in tuple(self.alive):
            trouble = ledger.trouble(self.of(name))
            if trouble.certain or trouble.times > default.times:
                self._leave(name, f"unusable: {trouble.reason}", barred=True)

    def _drop_hopeless(self, ledger: Ledger) -> None:
        """Those far behind the default whenever they were measured: no test is needed to leave, only to win."""
        for name in tuple(self.alive):
            found = self.against(name, ledger)
            if found.rounds >= FEW_ROUNDS and bool(np.all(found.candidate - found.baseline > FAR_BEHIND)):
                self._leave(name, f"{np.exp(found.log_ratio):.2f} times the default's time from the beginning")

    def _against_default(self, ledger: Ledger) -> dict[str, Contrast]:
        """Those measured often enough to be judged."""
        found = {name: self.against(name, ledger) for name in self.alive}
        return {name: one for name, one in found.items() if one.rounds >= self._rigour.min_rounds}

    def _drop_useless(self, ledger: Ledger, known: dict[str, Contrast]) -> None:
        """Those that cannot be chosen: not better than the default anywhere, or slower in any one cell."""
        in_cells = [self._in_cells(name, ledger) for name in known]
        all_low, _ = ends(
            [one for whole, each in zip(known.values(), in_cells, strict=True) for one in (whole, *each)]
        )
        bounds = all_low.reshape(len(known), -1)
        for (name, one), each, low in zip(known.items(), in_cells, bounds, strict=True):
            if np.all(low > -self._rigour.margin):
                self._leave(name, f"{np.exp(one.log_ratio):.2f} times the default's time")
            elif cell := self._slower_in(each):
                self._leave(name, f"slower than the default {where(cell)}", barred=True)

    def _in_cells(self, name: str, ledger: Ledger) -> list[Contrast]:
        """The candidate against the default in each cell; none where there is but one."""
        if len(self.cells) == 1:
            return []
        pairs = zip(self.of(name), self.of(DEFAULT), strict=True)
        return [contrast(ledger.log_seconds(ours), ledger.log_seconds(default)) for ours, default in pairs]

    def _slower_in(self, each: Sequence[Contrast]) -> Cell | None:
        """A cell in which it is significantly slower beyond delta. Not corrected: rather a gain missed."""
        seem = [(one, c) for one, c in zip(each, self.cells, strict=False) if one.log_ratio > self._rigour.margin]
        p = p_values([one for one, _ in seem], -self._rigour.margin)
        slower = [
            (one.log_ratio, c) for (one, c), p_value in zip(seem, p, strict=True) if p_value < self._rigour.alpha
        ]
        return max(slower)[1] if slower else None

    def _drop_behind(self, ledger: Ledger) -> None:
        leader = self._leader(ledger)
        best = self._score(leader, ledger) if leader else None
        if best is None:
            return
        found = {name: contrast(self._score(name, ledger), best) for name in self.alive if name != leader}
        found = {name: one for name, one in found.items() if one.rounds >= self._rigour.min_rounds}
        p = holm(p_values(list(found.values())))
        for (name, one), p_value in zip(found.items(), p, strict=True):
            if p_value < self._rigour.alpha and one.log_ratio > 0:
                self._leave(name, f"{np.exp(one.log_ratio):.2f} times the time of {leader}")

    def _leader(self, ledger: Ledger) -> str:
        """The fastest that is still in; '' if none has been measured."""
        scores = {name: self._score(name, ledger) for name in self.alive}
        medians = {name: float(np.nanmedian(one)) for name, one in scores.items() if not np.all(np.isnan(one))}
        return min(medians, key=lambda name: medians[name], default="")

    def _sure(self, name: str, ledger: Ledger) -> bool:
        """Better than the default for certain, corrected for all that entered, and by more than delta.

        By more than delta in the mean, or in a cell at least: what helps large messages alone is worth having,
        though among many cells it is little in the mean.
        """
        whole = self.against(name, ledger)
        if whole.rounds < self._rigour.min_rounds or not whole.log_ratio < 0:
            return False
        tests = len(self.candidates)
        if self._better([whole], self._rigour.margin, tests):
            return True
        each = self._in_cells(name, ledger)
        return self._better([whole], 0.0, tests) and self._better(each, self._rigour.margin, tests * len(each))

    def _better(self, found: Sequence[Contrast], margin: float, tests: int) -> bool:
        """Whether any is faster than the default by more than the margin."""
        seem = [one for one in found if one.log_ratio < -margin]
        return bool(np.any(p_values(seem, margin) * tests < self._rigour.alpha))

    def _decided(self, ledger: Ledger) -> bool:
        """The best is better than the default for certain, and the others that are left are as good."""
        leader = self._leader(ledger)
        if not leader or not self._sure(leader, ledger):
            return False
        best = self._score(leader, ledger)
        rest = [contrast(self._score(name, ledger), best) for name in self.alive if name != leader]
        low, high = ends(rest)
        return bool(np.all((low >= -self._rigour.margin) & (high <= self._rigour.margin)))


def where(cell: Cell) -> str:
    """`in bcast of 64 KiB on 4 ranks, placement block`."""
    of = f"{cell.benchmark} of {format_size(cell.size_bytes)}" if cell.size_bytes else cell.benchmark
    return f"in {of} on {cell.ranks} ranks, placement {cell.placement}"
