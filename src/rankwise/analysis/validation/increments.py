"""What several steps come to, each of which was validated beside the one before it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rankwise.analysis.validation.acceptance import Acceptance
from rankwise.analysis.validation.evidence import Evidence
from rankwise.core.records import Cell
from rankwise.core.results import Gain, Verdict, VerdictWord


def in_all(steps: Sequence[Acceptance]) -> Acceptance:
    """Return what all steps together are beside the default: in a cell, their ratios and bounds multiply.

    A step that does not act on a cell leaves it as it is. The product of bounds is wider than it had to be.
    """
    verdicts: dict[tuple[object, ...], Verdict] = {}
    evidence: dict[Cell, Evidence] = {}
    for step in steps:
        for one in step.verdicts:
            key = _key(one)
            verdicts[key] = _both(verdicts[key], one) if key in verdicts else one
        evidence |= {one.cell: one for one in step.evidence}
    gain = _gain([step.gain for step in steps if step.gain.cells], len(verdicts))
    return replace(steps[-1], verdicts=tuple(verdicts.values()), gain=gain, evidence=tuple(evidence.values()))


def with_untouched(steps: Acceptance, whole: Acceptance, untouched: Sequence[Cell]) -> Acceptance:
    """Return what the steps are with the cells that nothing should act on, where all is beside the default."""
    keys = {_key(cell) for cell in untouched}
    known = [one for one in steps.verdicts if _key(one) not in keys]
    return replace(
        steps,
        verdicts=(*known, *(one for one in whole.verdicts if _key(one) in keys)),
        evidence=(
            *(one for one in steps.evidence if one.cell not in untouched),
            *(one for one in whole.evidence if one.cell in untouched),
        ),
    )


def _key(one: Verdict | Cell) -> tuple[object, ...]:
    return one.benchmark, one.size_bytes, one.ranks, one.options, one.placement


def _both(one: Verdict, after: Verdict) -> Verdict:
    ratio, low, high = (
        one.ratio * after.ratio, one.ratio_low * after.ratio_low, one.ratio_high * after.ratio_high
    )  # fmt: skip
    words = {one.verdict, after.verdict}
    word: VerdictWord = "undecided"
    if len(words) == 1:
        word = one.verdict
    elif "faster" in words and high < 1:
        word = "faster"
    elif "slower" in words and low > 1:
        word = "slower"
    return replace(
        one, ratio=ratio, ratio_low=low, ratio_high=high, verdict=word, candidate_seconds=after.candidate_seconds,
        p_value=max(one.p_value, after.p_value), q_value=max(one.q_value, after.q_value),
        visible_ratio=max(one.visible_ratio, after.visible_ratio),
        launches=(min(one.launches[0], after.launches[0]), min(one.launches[1], after.launches[1])),
    )  # fmt: skip


def _gain(gains: Sequence[Gain], cells: int) -> Gain:
    """Over all cells of any step: each step's mean counts for those that it acts on."""
    if not gains:
        return Gain(math.nan, math.nan, math.nan, 0)
    shares = [one.cells / max(cells, one.cells) for one in gains]

    def product(of: Sequence[float]) -> float:
        return math.exp(sum(share * math.log(one) for share, one in zip(shares, of, strict=True)))

    return Gain(
        product([one.ratio for one in gains]), product([one.ratio_low for one in gains]),
        product([one.ratio_high for one in gains]), cells, any(one.weighted for one in gains),
    )  # fmt: skip
