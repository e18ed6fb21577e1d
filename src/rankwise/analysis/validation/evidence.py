"""What fresh launches show of one cell: it is no slower than by default, it is slower, or neither is known yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankwise.analysis.compare.cells import IntArray
from rankwise.analysis.compare.verdicts import Pair
from rankwise.core.records import Cell, FloatArray
from rankwise.stats.bound import bounded
from rankwise.stats.noninferiority import (
    launches_needed,
    narrower_in_pairs,
    paired_bounds,
    rounds_needed,
    shift_bounds,
)

LOOKS = {6: 1 / 3, 12: 1 / 6, 24: 1 / 6, 48: 1 / 12}
EARLY_SHARE = 1 / 4
"""With how many launches on either side a cell is looked at, and the share of alpha that each look has.

Ranks of fewer than six cannot speak, but differences within rounds can: until then the search's own bound
(`stats.bound`) is looked at after four and five launches, at EARLY_SHARE for both together. It is
Student's; in the tests' noises, with two modes and heavy tails among them, it is wrong in 1 of 100 cells at most.

A cell may be shown at any of them, and looking again makes errors more likely; the shares add up to 1, so that all
looks together are wrong with probability alpha at most (Bonferroni), however it was decided to go on. The share of
a look that is left out is simply not used."""
FIRST_LOOK, FIRST_OF_RANKS, LAST_LOOK = 4, min(LOOKS), max(LOOKS)

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
    and acceptance sampling"). `slower`: the lower bound is above 1.
    """
    margin, found = math.log(margin_ratio), _early(cell, pair, math.log(margin_ratio), alpha)
    if found.state != "open":
        return found
    for launches, share in LOOKS.items():
        if launches > found.launches:
            break
        sides = _Sides(pair, launches)
        low, high = sides.bounds(alpha * share)
        if high < margin:
            return Evidence(cell, "shown", found.launches, math.exp(high), 0)
        state: State = "slower" if low > 0 else "open"
        wanted = _wanted(sides, launches, margin, alpha) if state == "open" else 0
        found = Evidence(cell, state, found.launches, math.exp(min(high, 700.0)), wanted)
        if state == "slower":
            break
    return found


def _early(cell: Cell, pair: Pair, margin: float, alpha: float) -> Evidence:
    """What differences within the first rounds show, before there are enough for ranks."""
    launches, upper = _fewest(pair), math.inf
    differences = _Sides(pair, FIRST_OF_RANKS - 1).within_rounds()
    for rounds in range(FIRST_LOOK, min(launches, differences.size) + 1):
        found = bounded(differences[None, :rounds], np.zeros(rounds), EARLY_SHARE * alpha)
        upper = float(found.high[0])
        if upper < margin:
            return Evidence(cell, "shown", launches, math.exp(upper), 0)
        if found.low[0] > 0:
            return Evidence(cell, "slower", launches, math.exp(min(upper, 700.0)), 0)
    wanted = FIRST_LOOK if launches < FIRST_LOOK else FIRST_OF_RANKS
    return Evidence(cell, "open", launches, math.exp(upper) if upper < 700 else math.inf, wanted)


def _fewest(pair: Pair) -> int:
    return min(pair.baseline_medians.size, pair.candidate_medians.size)


def _wanted(sides: _Sides, launches: int, margin: float, alpha: float) -> int:
    """The next look that promises to show it; where none does, the next one, for so few launches say little."""
    later = [look for look in LOOKS if look > launches]
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
        self._all_differences: FloatArray = right - left
        self._differences = self._all_differences if narrower_in_pairs(left, right) else None

    def within_rounds(self) -> FloatArray:
        """Return the logarithm of the ratio in each round."""
        return self._all_differences

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
