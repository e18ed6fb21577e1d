"""A race between candidates and the default on one set of cells: round by round, who is out, and is it over?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.tune.evidence import Contrast, Rigour, contrast, ends, p_values
from rankwise.analysis.tune.ledger import Ledger, where
from rankwise.core.records import DEFAULT, Cell, FloatArray
from rankwise.stats.tests import holm

FEW_ROUNDS = 2
"""Enough to leave, though not to win: whoever then is ..."""
FAR_BEHIND, CLEARLY_BEHIND = float(np.log(1.25)), float(np.log(1.1))
"""... a quarter slower than the default in each, or a tenth slower than the leader, is not tried again ..."""
OUT_AT_ONCE = float(np.log(2))
"""... and this far behind one round is enough."""
HOPELESS = 3
"""Failures of the default in a cell after which there is nothing to compare with there."""
STAND_INS = 8
"""So many of the best no bad luck in the first rounds turns out, where the default cannot stay."""


class Contest:
    """Candidates are profiles' names; what is compared is the weighted mean of the logarithms of all cells' times.

    A candidate leaves as soon as it failed more often than the default, promises no gain after a few rounds, is
    shown not to be better by `delta`, is slower than the default beyond `delta` in any one cell, or is behind the
    best candidate. It stays out: leaving by few launches can only make a search miss a gain. That a winner is
    better than the default is tested by itself, with `delta` to overcome, and corrected for all that ever entered.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        candidates: Iterable[str],
        rigour: Rigour,
        calls: Sequence[float] = (),
        *,
        stand_in: bool = False,
        harmless: bool = False,
    ) -> None:
        """`cells`: templates, whose profile is put in.

        `calls`: how often each cell comes in what is tuned for: its weight is that times the default's time in
        it; none: all cells weigh the same. `stand_in`: one of them may have to be taken in the default's place, so
        the best are measured often enough to be judged, whatever the first rounds say of them. `harmless`: what
        only seems slower than the default in one cell must not be chosen either.
        """
        self.cells = tuple(cells)
        self.candidates = tuple(candidates)
        self.alive = list(self.candidates)
        self.out: dict[str, str] = {}
        """Why, in words, by candidate ..."""
        self.barred: set[str] = set()
        """... and those that must not be chosen even where they seem fast: failed, or slower in a cell."""
        self.closed = not self.alive
        self._calls = np.array(calls, dtype=np.float64) if any(calls) else None
        self._weights = np.full(len(self.cells), 1.0 / max(len(self.cells), 1))
        self._rigour, self._stand_in, self._harmless = rigour, stand_in, harmless
        self.rounds = 0
        self._won: tuple[tuple[int, int], str] = ((-1, 0), DEFAULT)
        """The winner, and after how many rounds and bars."""

    def wanted(self) -> tuple[str, ...]:
        """Whose turn it is in the next round, the default first; none once it is over."""
        return () if self.closed else (DEFAULT, *self.alive)

    def enter(self, names: Iterable[str]) -> None:
        """Candidates that join an open race late; those that were in it before are not let in again."""
        new = [] if self.closed else [name for name in dict.fromkeys(names) if name not in self.candidates]
        self.candidates += tuple(new)
        self.alive += new

    def of(self, name: str) -> list[Cell]:
        """Return the cells as this candidate measures them."""
        return [replace(cell, label=name) for cell in self.cells]

    def settle(self, ledger: Ledger) -> None:
        """After a round in which `wanted` were measured: who leaves, and is it over?"""
        self.rounds += 1
        self._leave_out(ledger)
        self._weigh(ledger)
        self._drop_failed(ledger)
        self._drop_hopeless(ledger)
        known = self._against_default(ledger)
        if known:
            self._drop_useless(ledger, known)
            self._drop_behind(ledger)
        over = not self.cells or not self.alive or self.rounds >= self._rigour.max_rounds
        self.closed = over or self._decided(ledger)

    def bar(self, unusable: Mapping[str, str]) -> None:
        """Whoever proved unusable elsewhere is out here too."""
        for name in [name for name in self.candidates if name in unusable]:
            self.barred.add(name)
            if name in self.alive:
                self._leave(name, unusable[name])
        self.closed = self.closed or not self.alive

    def winner(self, ledger: Ledger) -> str:
        """Return the best that is better than the default for certain, by more than delta; else the default."""
        key = (self.rounds, len(self.barred))
        if self._won[0] != key:
            self._won = key, self._find_winner(ledger)
        return self._won[1]

    def _find_winner(self, ledger: Ledger) -> str:
        sure = [name for name in self.alive if self._sure(name, ledger)]
        return min(sure, key=lambda name: self.against(name, ledger).log_ratio, default=DEFAULT)

    def against(self, name: str, ledger: Ledger) -> Contrast:
        """Return the candidate against the default, all cells together."""
        return contrast(self._score(name, ledger), self._score(DEFAULT, ledger))

    def cost(self, name: str, ledger: Ledger) -> float:
        """Logarithm of its time over the default's; infinite for what must not or cannot be chosen."""
        found = self.estimate(name, ledger, self._rigour.min_rounds)
        harms = self._harmless and np.isfinite(found) and name != DEFAULT and self._harms(name, ledger)
        return float("inf") if harms else found

    def estimate(self, name: str, ledger: Ledger, rounds: int = FEW_ROUNDS) -> float:
        """Return the same after fewer rounds: a guess."""
        if name == DEFAULT:
            return 0.0
        allowed = name in self.candidates and name not in self.barred
        found = self.against(name, ledger) if allowed else None
        return found.log_ratio if found and found.rounds >= rounds else float("inf")

    def _harms(self, name: str, ledger: Ledger) -> bool:
        """Whether it seems slower than the default in any one cell, by more than half of what matters."""
        return any(one.log_ratio > self._rigour.margin / 2 for one in self._in_cells(name, ledger))

    def _weigh(self, ledger: Ledger) -> None:
        """Calls times the default's time, which is known from the first round on."""
        if self._calls is None or not self.cells:
            return
        logs = np.stack([ledger.log_seconds(cell) for cell in self.of(DEFAULT)])
        known = [float(np.exp(np.median(row[~np.isnan(row)]))) if np.any(~np.isnan(row)) else 0.0 for row in logs]
        spent = self._calls * np.array(known)
        if np.sum(spent) > 0:
            self._weights = spent / np.sum(spent)

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
            self._weights = np.full(len(sound), 1.0 / max(len(sound), 1))
            self._calls = self._calls[sound] if self._calls is not None else None
        if not self.cells:
            self.barred.update(self.candidates)
            self.alive = []

    def _drop_failed(self, ledger: Ledger) -> None:
        usual = ledger.trouble(self.of(DEFAULT)).times
        for name in tuple(self.alive):
            trouble = ledger.trouble(self.of(name))
            if trouble.certain or trouble.times > usual:
                self._leave(name, f"unusable: {trouble.reason}", barred=True)

    def _drop_hopeless(self, ledger: Ledger) -> None:
        """Those far behind whenever they were measured, or without a sign of a gain: to leave takes no test."""
        leader = self._leader(ledger)
        best = self._score(leader, ledger) if leader else None
        kept = self._stand_ins(ledger)
        for name in tuple(self.alive):
            found = self.against(name, ledger)
            if not found.rounds or name in kept:
                continue
            slower = float(np.min(found.candidate - found.baseline))
            if slower > (OUT_AT_ONCE if found.rounds < FEW_ROUNDS else FAR_BEHIND):
                self._leave(name, f"{np.exp(found.log_ratio):.2f} times the default's time from the beginning")
            elif self._harmless and found.rounds >= FEW_ROUNDS and (cell := self._always_slower_in(name, ledger)):
                self._leave(name, f"slower than the default {where(cell)}", barred=True)
            elif found.rounds >= FEW_ROUNDS and self._promises_nothing(name, found, ledger):
                self._leave(name, f"{np.exp(found.log_ratio):.2f} times the default's time, no sign of a gain")
            elif best is not None and name != leader:
                behind = contrast(self._score(name, ledger), best)
                enough = CLEARLY_BEHIND if behind.rounds >= FEW_ROUNDS else OUT_AT_ONCE
                if behind.rounds and np.min(behind.candidate - behind.baseline) > enough:
                    self._leave(name, f"{np.exp(behind.log_ratio):.2f} times the time of {leader}")

    def _stand_ins(self, ledger: Ledger) -> list[str]:
        """The best of those that cannot be judged yet."""
        found = {name: self.against(name, ledger) for name in self.alive if self._stand_in}
        ratios = {name: one.log_ratio for name, one in found.items() if 0 < one.rounds < self._rigour.min_rounds}
        return sorted(ratios, key=lambda name: ratios[name])[:STAND_INS]

    def _always_slower_in(self, name: str, ledger: Ledger) -> Cell | None:
        """A cell in which it was clearly slower than the default each time."""
        for one, cell in zip(self._in_cells(name, ledger), self.cells, strict=False):
            if one.rounds >= FEW_ROUNDS and float(np.min(one.candidate - one.baseline)) > CLEARLY_BEHIND:
                return cell
        return None

    def _promises_nothing(self, name: str, whole: Contrast, ledger: Ledger) -> bool:
        """It seems faster by half of what matters neither in the mean nor in any one cell."""
        least = -self._rigour.margin / 2
        return all(one.log_ratio > least for one in (whole, *self._in_cells(name, ledger)) if one.rounds)

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
        if not (leader := self._leader(ledger)):
            return
        best = self._score(leader, ledger)
        found = {name: contrast(self._score(name, ledger), best) for name in self.alive if name != leader}
        found = {name: one for name, one in found.items() if one.rounds >= self._rigour.min_rounds}
        p = holm(p_values(list(found.values())))
        for (name, one), p_value in zip(found.items(), p, strict=True):
            if p_value < self._rigour.alpha and one.log_ratio > 0:
                self._leave(name, f"{np.exp(one.log_ratio):.2f} times the time of {leader}")

    def _leader(self, ledger: Ledger) -> str:
        """The fastest that is still in and may win as things stand; '' if there is none."""
        found = {name: self.against(name, ledger) for name in self.alive}
        ratios = {name: one.log_ratio for name, one in found.items() if one.rounds}
        if self._harmless:
            ratios = {name: one for name, one in ratios.items() if not self._harms(name, ledger)}
        return min(ratios, key=lambda name: ratios[name], default="")

    def _sure(self, name: str, ledger: Ledger) -> bool:
        """Better than the default for certain, corrected for all that entered, and by more than delta.

        By more than delta in the mean, or in a cell at least: what helps large messages alone is worth having,
        though among many cells it is little in the mean.
        """
        whole = self.against(name, ledger)
        if whole.rounds < self._rigour.min_rounds or not whole.log_ratio < 0:
            return False
        if self._harmless and self._harms(name, ledger):
            return False
        tests = len(self.candidates)
        if self._better([whole], self._rigour.margin, tests):
            return True
        each = self._in_cells(name, ledger)
        return self._better([whole], 0.0, tests) and self._better(each, self._rigour.margin, tests * len(each))

    def _better(self, found: Sequence[Contrast], margin: float, tests: int) -> bool:
        """Whether any is faster than the default by more than the margin; slower is not asked, so one side counts.

        Looking again every round has its price: from the second time on both sides do.
        """
        seem = [one for one in found if one.log_ratio < -margin]
        first = all(one.rounds <= self._rigour.min_rounds for one in seem)
        return bool(np.any(p_values(seem, margin) * (tests / 2 if first else tests) < self._rigour.alpha))

    def _decided(self, ledger: Ledger) -> bool:
        """The best is better than the default for certain, and no other that is left can be better than it."""
        leader = self._leader(ledger)
        if not leader or not self._sure(leader, ledger):
            return False
        best = self._score(leader, ledger)
        rest = [contrast(self._score(name, ledger), best) for name in self.alive if name != leader]
        low, _ = ends(rest)
        return bool(np.all(low >= -self._rigour.margin))
