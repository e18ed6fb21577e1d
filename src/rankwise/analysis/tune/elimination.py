"""Sequential elimination: which of several candidates is better than the default on one set of cells?

After each round those candidates are eliminated that fail, are far behind, or are shown not to be better; the
others are measured again. Such procedures are known as racing (Maron and Moore 1994, Birattari and others 2002).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rankwise.analysis.tune.candidate_times import CandidateTimes
from rankwise.analysis.tune.contrasts import Contrast, SearchCriteria, contrast, intervals, p_values
from rankwise.analysis.tune.observations import Observations, cell_words
from rankwise.core.records import DEFAULT, Cell
from rankwise.stats.tests import holm

SCREENING_ROUNDS = 2
"""Enough to be eliminated without a test, though not to be selected: a candidate that by then is ..."""
FAR_BEHIND, CLEARLY_BEHIND = float(np.log(1.25)), float(np.log(1.1))
"""... a quarter slower than the default in each, or a tenth slower than the leader, is not tried again ..."""
ELIMINATED_AT_ONCE = float(np.log(2))
"""... and this far behind one round is enough."""
MOST_DEFAULT_FAILURES = 3
"""Failures of the default in a cell after which there is nothing to compare with there."""
PROTECTED = 8
"""So many of the best are not eliminated by bad luck in the first rounds, where the default cannot stay."""


class Elimination:
    """Candidates are labels; what is compared is the weighted mean of the logarithms of all cells' times.

    A candidate is eliminated as soon as it failed more often than the default, promises no gain after a few
    rounds, is shown not to be better by `delta`, is slower than the default beyond `delta` in any one cell, or is
    behind the best candidate. It does not come back: an elimination after few launches can only make a search miss
    a gain. That the selected one is better than the default is tested by itself, with `delta` to overcome, and
    corrected for the number of all candidates.
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
        slower_nowhere: bool = False,
    ) -> None:
        """`cells`: templates that get the candidate's label; `observed`: what was measured, maybe for others too.

        `calls`: how often each cell comes in what is tuned for: its weight is that times the default's time in
        it; none: all cells weigh the same. `replaces_default`: one of them may have to be taken in the default's
        place, so the best are measured often enough to be judged, whatever the first rounds say of them.
        `slower_nowhere`: what only seems slower than the default in one cell must not be selected either.
        """
        self.candidates = tuple(candidates)
        self.remaining = list(self.candidates)
        self.eliminated: dict[str, str] = {}
        """Why, in words, by candidate ..."""
        self.excluded: set[str] = set()
        """... and those that must not be selected even where they seem fast: failed, or slower in a cell."""
        self.finished = not self.remaining
        self.rounds = 0
        self._times = CandidateTimes(cells, observed, calls)
        self._observed, self._criteria = observed, criteria
        self._replaces_default, self._slower_nowhere = replaces_default, slower_nowhere
        self._known: tuple[tuple[int, int], str] = ((-1, 0), DEFAULT)
        """Which was selected, and after how many rounds and exclusions."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that count, without those that the default cannot do."""
        return self._times.cells

    def next_round(self) -> tuple[str, ...]:
        """Return what is to be measured next, the default first; nothing once it is finished."""
        return () if self.finished else (DEFAULT, *self.remaining)

    def add(self, names: Iterable[str]) -> None:
        """Let candidates join late, unless it is finished; those that were in it before do not come back."""
        new = [] if self.finished else [name for name in dict.fromkeys(names) if name not in self.candidates]
        self.candidates += tuple(new)
        self.remaining += new

    def update(self) -> None:
        """Eliminate candidates after a round in which all of `next_round` were measured; it may be the last."""
        self.rounds += 1
        self._drop_cells_without_default()
        self._times.weigh()
        self._eliminate_failed()
        self._screen()
        if known := self._testable():
            self._eliminate_not_better(known)
            self._eliminate_behind_leader()
        over = not self.cells or not self.remaining or self.rounds >= self._criteria.max_rounds
        self.finished = over or self._settled()

    def exclude(self, unusable: Mapping[str, str]) -> None:
        """Exclude those that were seen to be unusable elsewhere, and why."""
        for name in [name for name in self.candidates if name in unusable]:
            self.excluded.add(name)
            if name in self.remaining:
                self._eliminate(name, unusable[name])
        self.finished = self.finished or not self.remaining

    def selected(self) -> str:
        """Return the best that is significantly better than the default, by more than delta; else the default."""
        key = (self.rounds, len(self.excluded))
        if self._known[0] != key:
            better = [name for name in self.remaining if self._is_better(name)]
            best = min(better, key=lambda name: self.against_default(name).log_ratio, default=DEFAULT)
            self._known = key, best
        return self._known[1]

    def against_default(self, name: str) -> Contrast:
        """Return the contrast of a candidate with the default, all cells together."""
        return self._times.against_default(name)

    def log_ratio(self, name: str) -> float:
        """Return the logarithm of its time over the default's; infinite if it must not or cannot be selected."""
        found = self.estimated_log_ratio(name, self._criteria.min_rounds)
        refused = (
            self._slower_nowhere and np.isfinite(found) and name != DEFAULT and self._seems_slower_in_a_cell(name)
        )
        return float("inf") if refused else found

    def estimated_log_ratio(self, name: str, rounds: int = SCREENING_ROUNDS) -> float:
        """Return the same after fewer rounds, as an estimate."""
        if name == DEFAULT:
            return 0.0
        allowed = name in self.candidates and name not in self.excluded
        found = self.against_default(name) if allowed else None
        return found.log_ratio if found and found.rounds >= rounds else float("inf")

    def _seems_slower_in_a_cell(self, name: str) -> bool:
        """Whether it seems slower than the default in any one cell, by more than half of what matters."""
        return any(one.log_ratio > self._criteria.margin / 2 for one in self._times.by_cell(name))

    def _eliminate(self, name: str, why: str, *, exclude: bool = False) -> None:
        self.remaining.remove(name)
        self.eliminated[name] = why
        if exclude:
            self.excluded.add(name)

    def _drop_cells_without_default(self) -> None:
        """Cells that the default itself cannot do do not count; without any other it is over."""
        failures = [self._observed.failures([cell]) for cell in self._times.cells_of(DEFAULT)]
        self._times.keep(
            [i for i, one in enumerate(failures) if not one.certain and one.times < MOST_DEFAULT_FAILURES]
        )
        if not self.cells:
            self.excluded.update(self.candidates)
            self.remaining = []

    def _eliminate_failed(self) -> None:
        usual = self._observed.failures(self._times.cells_of(DEFAULT)).times
        for name in tuple(self.remaining):
            failures = self._observed.failures(self._times.cells_of(name))
            if failures.certain or failures.times > usual:
                self._eliminate(name, f"unusable: {failures.reason}", exclude=True)

    def _screen(self) -> None:
        """Eliminate without a test those far behind whenever they were measured, or without a sign of a gain."""
        leader = self._leader()
        best = self._times.mean_logs(leader) if leader else None
        protected = self._protected()
        for name in tuple(self.remaining):
            found = self.against_default(name)
            if not found.rounds or name in protected:
                continue
            slower = float(np.min(found.candidate - found.baseline))
            screened = found.rounds >= SCREENING_ROUNDS
            if slower > (FAR_BEHIND if screened else ELIMINATED_AT_ONCE):
                self._eliminate(name, f"{np.exp(found.log_ratio):.2f} times the default's time from the beginning")
            elif self._slower_nowhere and screened and (cell := self._always_slower_in(name)):
                self._eliminate(name, f"slower than the default {cell_words(cell)}", exclude=True)
            elif screened and self._promises_nothing(name, found):
                self._eliminate(name, f"{np.exp(found.log_ratio):.2f} times the default's time, no sign of a gain")
            elif best is not None and name != leader:
                behind = contrast(self._times.mean_logs(name), best)
                enough = CLEARLY_BEHIND if behind.rounds >= SCREENING_ROUNDS else ELIMINATED_AT_ONCE
                if behind.rounds and np.min(behind.candidate - behind.baseline) > enough:
                    self._eliminate(name, f"{np.exp(behind.log_ratio):.2f} times the time of {leader}")

    def _protected(self) -> list[str]:
        """The best of those that cannot be tested yet."""
        found = {name: self.against_default(name) for name in self.remaining if self._replaces_default}
        ratios = {name: one.log_ratio for name, one in found.items() if 0 < one.rounds < self._criteria.min_rounds}
        return sorted(ratios, key=lambda name: ratios[name])[:PROTECTED]

    def _always_slower_in(self, name: str) -> Cell | None:
        """A cell in which it was clearly slower than the default each time."""
        for one, cell in zip(self._times.by_cell(name), self.cells, strict=False):
            if one.rounds >= SCREENING_ROUNDS and float(np.min(one.candidate - one.baseline)) > CLEARLY_BEHIND:
                return cell
        return None

    def _promises_nothing(self, name: str, whole: Contrast) -> bool:
        """It seems faster by half of what matters neither in the mean nor in any one cell."""
        least = -self._criteria.margin / 2
        return all(one.log_ratio > least for one in (whole, *self._times.by_cell(name)) if one.rounds)

    def _testable(self) -> dict[str, Contrast]:
        """The contrasts of those that were measured often enough to be tested."""
        found = {name: self.against_default(name) for name in self.remaining}
        return {name: one for name, one in found.items() if one.rounds >= self._criteria.min_rounds}

    def _eliminate_not_better(self, known: dict[str, Contrast]) -> None:
        """Those that cannot be selected: not better than the default anywhere, or slower in any one cell."""
        by_cell = [self._times.by_cell(name) for name in known]
        all_low, _ = intervals(
            [one for whole, each in zip(known.values(), by_cell, strict=True) for one in (whole, *each)]
        )
        bounds = all_low.reshape(len(known), -1)
        for (name, one), each, low in zip(known.items(), by_cell, bounds, strict=True):
            if np.all(low > -self._criteria.margin):
                self._eliminate(name, f"{np.exp(one.log_ratio):.2f} times the default's time")
            elif cell := self._slower_in(each):
                self._eliminate(name, f"slower than the default {cell_words(cell)}", exclude=True)

    def _slower_in(self, each: Sequence[Contrast]) -> Cell | None:
        """A cell in which it is significantly slower beyond delta. Not corrected: a gain is missed rather."""
        margin, alpha = self._criteria.margin, self._criteria.alpha
        seem = [(one, cell) for one, cell in zip(each, self.cells, strict=False) if one.log_ratio > margin]
        p = p_values([one for one, _ in seem], -margin)
        slower = [(one.log_ratio, cell) for (one, cell), p_value in zip(seem, p, strict=True) if p_value < alpha]
        return max(slower)[1] if slower else None

    def _eliminate_behind_leader(self) -> None:
        if not (leader := self._leader()):
            return
        found = {
            name: one for name, one in self._against(leader).items() if one.rounds >= self._criteria.min_rounds
        }
        p = holm(p_values(list(found.values())))
        for (name, one), p_value in zip(found.items(), p, strict=True):
            if p_value < self._criteria.alpha and one.log_ratio > 0:
                self._eliminate(name, f"{np.exp(one.log_ratio):.2f} times the time of {leader}")

    def _against(self, leader: str) -> dict[str, Contrast]:
        """The contrast of each other remaining candidate with the leader."""
        best = self._times.mean_logs(leader)
        return {name: contrast(self._times.mean_logs(name), best) for name in self.remaining if name != leader}

    def _leader(self) -> str:
        """The fastest that remains and may be selected as things stand; '' if there is none."""
        found = {name: self.against_default(name) for name in self.remaining}
        ratios = {name: one.log_ratio for name, one in found.items() if one.rounds}
        if self._slower_nowhere:
            ratios = {name: one for name, one in ratios.items() if not self._seems_slower_in_a_cell(name)}
        return min(ratios, key=lambda name: ratios[name], default="")

    def _is_better(self, name: str) -> bool:
        """Whether it is significantly better than the default, corrected for all candidates, by more than delta.

        By more than delta in the mean, or in a cell at least: what helps large messages alone is worth having,
        though among many cells it is little in the mean.
        """
        whole = self.against_default(name)
        if whole.rounds < self._criteria.min_rounds or not whole.log_ratio < 0:
            return False
        if self._slower_nowhere and self._seems_slower_in_a_cell(name):
            return False
        tests = len(self.candidates)
        if self._any_faster([whole], self._criteria.margin, tests):
            return True
        each = self._times.by_cell(name)
        return self._any_faster([whole], 0.0, tests) and self._any_faster(
            each, self._criteria.margin, tests * len(each)
        )

    def _any_faster(self, found: Sequence[Contrast], margin: float, tests: int) -> bool:
        """Whether any is faster than the default by more than the margin; slower is not asked: a one-sided test.

        Looking again every round has its price: from the second time on the test is two-sided.
        """
        seem = [one for one in found if one.log_ratio < -margin]
        first = all(one.rounds <= self._criteria.min_rounds for one in seem)
        return bool(np.any(p_values(seem, margin) * (tests / 2 if first else tests) < self._criteria.alpha))

    def _settled(self) -> bool:
        """The best is significantly better than the default, and no other that remains can be better than it."""
        leader = self._leader()
        if not leader or not self._is_better(leader):
            return False
        low, _ = intervals(list(self._against(leader).values()))
        return bool(np.all(low >= -self._criteria.margin))
