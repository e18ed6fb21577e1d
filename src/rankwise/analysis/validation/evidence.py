"""What fresh launches show of one cell: it is no slower than by default, it is slower, or neither is known yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankwise.analysis.compare.cells import IntArray
from rankwise.analysis.compare.verdicts import Pair
from rankwise.core.records import Cell, FloatArray
from rankwise.stats.noninferiority import (
    launches_needed,
    narrower_in_pairs,
    paired_bounds,
    rounds_needed,
    shift_bounds,
)
from rankwise.stats.summary import median

LOOKS = {4: 0.29, 6: 0.32, 12: 0.16, 24: 0.14, 48: 0.09}
"""With how many launches on either side a cell is looked at, and the share of alpha that each look has.

All looks are by ranks. Four launches speak if each is faster than all of the default's: once in 70 by chance.
That shows large gains however much launches vary, what is as good as the default where they vary little, no more.

A cell may be shown at any of them, and looking again makes errors more likely; the shares add up to 1, so that all
looks together are wrong with probability alpha at most (Bonferroni), however it was decided to go on. The share of
a look that is left out is simply not used."""
FIRST_LOOK, LAST_LOOK = min(LOOKS), max(LOOKS)
FEWEST_IN_PAIRS = 6
"""Fewer rounds cannot show anything by the ranks of their differences."""

State = Literal["shown", "slower", "open"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a cell; ratios are tuned over default time."""

    cell: Cell
    state: State
    launches: int = 0
    """On the side that has fewer."""
    upper_ratio: float = math.inf
    """At the last look: it is no more than that for certain."""
    wanted: int = FIRST_LOOK
    """Launches, in all, with which it is worth looking again; 0: never."""
    log_ratio: float = 0.0
    """Of the medians so far: what is most worth more launches, and nothing else, is decided by it."""

    @property
    def words(self) -> str:
        """Say what was not shown: `not shown to be no slower: up to 7 % slower could not be excluded`."""
        if not self.launches:
            return "not measured, since the time was over:"
        if math.isinf(self.upper_ratio):
            times = f"{self.launches} launches" if self.launches > 1 else "one launch"
            return f"measured in {times}, which is too few to show anything,"
        beyond = self.upper_ratio - 1
        most = (
            f"up to {100 * beyond:.0f} % slower" if beyond < 1 else f"up to {self.upper_ratio:.1f} times the time"
        )
        return f"{most} could not be excluded after {self.launches} launches"


def evidence_of(cell: Cell, pair: Pair, margin_ratio: float, alpha: float) -> Evidence:
    """Return what the launches of `pair` show of a cell.

    `shown`: the upper bound of the ratio is below `margin_ratio` (1 + delta), wrong with probability alpha at
    most: a test of non-inferiority (Wellek 2010, "Testing statistical hypotheses of equivalence and
    noninferiority", chapter 2). A tuning that is kept only if all of its cells are shown is then wrongly kept
    with probability alpha at most, however many cells there are (Berger 1982, "Multiparameter hypothesis testing
    and acceptance sampling"). `slower`: the lower bound is above 1; at the first look above `margin_ratio`.
    """
    found = _looked_at(cell, pair, math.log(margin_ratio), alpha)
    return replace(found, log_ratio=math.log(median(pair.candidate_medians) / median(pair.baseline_medians)))


def _looked_at(cell: Cell, pair: Pair, margin: float, alpha: float) -> Evidence:
    """What all looks so far come to."""
    found = Evidence(cell, "open", min(pair.baseline_medians.size, pair.candidate_medians.size))
    for launches, share in LOOKS.items():
        if launches > found.launches:
            break
        sides = _Sides(pair, launches)
        low, high = sides.bounds(alpha * share)
        if high < margin:
            return Evidence(cell, "shown", found.launches, math.exp(high), 0)
        least = margin if launches == FIRST_LOOK else 0.0  # of many cells one is all above by chance too often
        state: State = "slower" if low > least else "open"
        wanted = _wanted(sides, launches, margin, alpha) if state == "open" else 0
        upper = math.exp(high) if high < 700 else math.inf
        found = Evidence(cell, state, found.launches, min(upper, found.upper_ratio), wanted)
        if state == "slower":
            break
    return found


def _wanted(sides: _Sides, launches: int, margin: float, alpha: float) -> int:
    """The next look that promises to show it; where none does, the next one, for so few launches say little.

    After the first look that is the second: four launches do not tell how much they vary.
    """
    later = [look for look in LOOKS if look > launches]
    if launches == FIRST_LOOK:
        return later[0]
    enough = [look for look in later if sides.needed(margin, alpha * LOOKS[look]) <= look]
    return (enough or later or [0])[0]


class _Sides:
    """Default and tuned in the first launches of each; within rounds where that is narrower."""

    def __init__(self, pair: Pair, launches: int) -> None:
        self._baseline = np.log(pair.baseline_medians[:launches])
        self._candidate = np.log(pair.candidate_medians[:launches])
        _, of_baseline, of_candidate = np.intersect1d(
            pair.baseline_rounds[:launches], pair.candidate_rounds[:launches], return_indices=True
        )
        left, right = self._baseline[of_baseline], self._candidate[of_candidate]
        in_pairs = launches >= FEWEST_IN_PAIRS and narrower_in_pairs(left, right)
        self._differences: FloatArray | None = right - left if in_pairs else None

    def bounds(self, alpha: float) -> tuple[float, float]:
        """Return a lower and an upper bound of the logarithm of the ratio."""
        if self._differences is not None:
            return paired_bounds(self._differences, alpha)
        return shift_bounds(self._baseline, self._candidate, alpha)

    def needed(self, margin: float, alpha: float) -> float:
        """Return how many launches on each side are enough, by the noise seen so far."""
        if self._differences is not None:
            return rounds_needed(self._differences, margin, alpha)
        return launches_needed(self._baseline, self._candidate, margin, alpha)


def joined(pairs: Sequence[Pair]) -> Pair:
    """Return the pairs of one cell in several runs as one, their rounds one after the other."""
    first, after = pairs[0], 0
    rounds: tuple[list[IntArray], list[IntArray]] = ([], [])
    for one in pairs:
        rounds[0].append(one.baseline_rounds + after)
        rounds[1].append(one.candidate_rounds + after)
        after += int(max(one.baseline_rounds[-1], one.candidate_rounds[-1])) + 1
    return Pair(
        first.point, first.baseline, first.candidate,
        np.concatenate([one.baseline_medians for one in pairs]),
        np.concatenate([one.candidate_medians for one in pairs]),
        np.concatenate(rounds[0]).astype(np.int64), np.concatenate(rounds[1]).astype(np.int64),
    )  # fmt: skip
