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
    student_bounds,
)
from rankwise.stats.summary import median

LOOKS = {3: 0.1, 4: 0.29, 6: 0.32, 12: 0.12, 24: 0.1, 48: 0.07}
"""With how many launches on either side a cell is looked at, and the share of alpha that each look has.

The first look is by Student's bound, since three launches have no ranks to speak of: it shows a gain of many times
what launches vary, or what is as good as the default where they hardly vary. All others are by ranks. Four
speak if each is faster than all of the default's, once in 70 by chance: that shows large gains however much they
vary, what is as good as the default where they vary little, no more.

A cell may be shown at any of them, and looking again makes errors more likely; the shares add up to 1, so that all
looks together are wrong with probability alpha at most (Bonferroni), however it was decided to go on. The share of
a look that is left out is simply not used."""
FIRST_LOOK, LAST_LOOK = min(LOOKS), max(LOOKS)
HARM_LAUNCHES = 6
"""That show by ranks whether a cell is slower on which nothing should act."""
FEW = 4
"""So many launches do not tell how much they vary."""
FEWEST_IN_PAIRS = 6
"""Fewer rounds cannot show anything by the ranks of their differences."""

LARGE_RATIO = 1.25
"""A setting that is so many times as fast somewhere for certain stays if it costs less elsewhere for certain."""

State = Literal["shown", "slower", "open", "bounded"]
"""`bounded`: not shown to be no slower by the margin, but by a bound that is enough: where the same setting has a
large gain, or where nothing should act."""


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
            return "not measured, out of time:"
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
    and acceptance sampling"). `slower`: the lower bound is above 1; after FEW launches above `margin_ratio`,
    and never at the first look.
    """
    seen = _looked_at(cell, pair, math.log(margin_ratio), alpha)
    return replace(seen, log_ratio=math.log(median(pair.candidate_medians) / median(pair.baseline_medians)))


def _looked_at(cell: Cell, pair: Pair, margin: float, alpha: float) -> Evidence:
    """What all looks so far come to."""
    seen = Evidence(cell, "open", min(pair.baseline_medians.size, pair.candidate_medians.size))
    for launches, share in LOOKS.items():
        if launches > seen.launches:
            break
        sides = _Sides(pair, launches)
        low, high = sides.bounds(alpha * share)
        if high < margin:
            return Evidence(cell, "shown", seen.launches, math.exp(high), 0)
        least = margin if launches <= FEW else 0.0  # of many cells one is all above by chance too often
        least = math.inf if launches == FIRST_LOOK else least  # a busy machine makes three launches differ
        state: State = "slower" if low > least else "open"
        wanted = _wanted(sides, launches, margin, alpha) if state == "open" else 0
        upper = math.exp(high) if high < 700 else math.inf
        seen = Evidence(cell, state, seen.launches, min(upper, seen.upper_ratio), wanted)
        if state == "slower":
            break
    return seen


def _wanted(sides: _Sides, launches: int, margin: float, alpha: float) -> int:
    """The next look that promises to show it; where none does, the next one, for so few launches say little.

    After few launches that is the one that follows: they do not tell how much they vary.
    """
    later = [look for look in LOOKS if look > launches]
    if launches <= FEW:
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
        self._has_ranks = launches > FIRST_LOOK
        in_pairs = launches >= FEWEST_IN_PAIRS and narrower_in_pairs(left, right)
        self._differences: FloatArray | None = right - left if in_pairs else None

    def bounds(self, alpha: float) -> tuple[float, float]:
        """Return a lower and an upper bound of the logarithm of the ratio."""
        if self._differences is not None:
            return paired_bounds(self._differences, alpha)
        bounds = shift_bounds if self._has_ranks else student_bounds
        return bounds(self._baseline, self._candidate, alpha)

    def needed(self, margin: float, alpha: float) -> float:
        """Return how many launches on each side are enough, by the noise seen so far."""
        if self._differences is not None:
            return rounds_needed(self._differences, margin, alpha)
        return launches_needed(self._baseline, self._candidate, margin, alpha)


def harm_of(cell: Cell, pair: Pair, alpha: float) -> Evidence:
    """Return what is known of a cell on which nothing should act: `slower` only if ranks show it, at this level.

    One look by Student's bound is enough unless it seems slower; a busy machine alone makes three launches differ.
    """
    launches = min(pair.baseline_medians.size, pair.candidate_medians.size)
    if launches < FIRST_LOOK:
        return Evidence(cell, "open", launches)
    baseline, candidate = np.log(pair.baseline_medians), np.log(pair.candidate_medians)
    has_ranks = launches >= HARM_LAUNCHES
    low, high = (shift_bounds if has_ranks else student_bounds)(baseline, candidate, alpha)
    state: State = "bounded" if low <= 0 else "slower" if has_ranks else "open"
    upper = math.exp(high) if high < 700 else math.inf
    wanted = HARM_LAUNCHES if state == "open" else 0
    return Evidence(cell, state, launches, upper, wanted, float(np.median(candidate) - np.median(baseline)))


def certain_gain(pair: Pair, alpha: float) -> float:
    """Return how many times as fast it is at least, by Student's bound, wrong with probability alpha."""
    bounds = student_bounds(np.log(pair.baseline_medians), np.log(pair.candidate_medians), alpha)
    return math.exp(-bounds[1])


def beside_gain(evidence: Evidence, gain: float, margin_ratio: float) -> Evidence:
    """Return the evidence of an open cell on which a setting acts that is `gain` times as fast in another.

    A loss as large as the gain is excluded, and what there seems to be of one is below its root and LARGE_RATIO:
    on a busy machine three launches seem to differ by more than the margin where nothing does.
    """
    most = max(margin_ratio, min(math.sqrt(gain), LARGE_RATIO))
    is_bounded = evidence.state == "open" and evidence.upper_ratio < gain and math.exp(evidence.log_ratio) <= most
    return replace(evidence, state="bounded", wanted=0) if is_bounded else evidence


def joined(pairs: Sequence[Pair]) -> Pair:
    """Return the pairs of one cell in several runs as one, their rounds one after the other."""
    first, after = pairs[0], 0
    rounds: tuple[list[IntArray], list[IntArray]] = ([], [])
    for pair in pairs:
        rounds[0].append(pair.baseline_rounds + after)
        rounds[1].append(pair.candidate_rounds + after)
        after += int(max(pair.baseline_rounds[-1], pair.candidate_rounds[-1])) + 1
    return Pair(
        first.point, first.baseline, first.candidate,
        np.concatenate([part.baseline_medians for part in pairs]),
        np.concatenate([part.candidate_medians for part in pairs]),
        np.concatenate(rounds[0]).astype(np.int64), np.concatenate(rounds[1]).astype(np.int64),
    )  # fmt: skip
