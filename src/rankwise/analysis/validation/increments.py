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
        for verdict in step.verdicts:
            key = _key(verdict)
            verdicts[key] = _both(verdicts[key], verdict) if key in verdicts else verdict
        evidence |= {evidence_of_cell.cell: evidence_of_cell for evidence_of_cell in step.evidence}
    gain = _gain([step.gain for step in steps if step.gain.cells], len(verdicts))
    return replace(steps[-1], verdicts=tuple(verdicts.values()), gain=gain, evidence=tuple(evidence.values()))


def with_untouched(steps: Acceptance, whole: Acceptance, untouched: Sequence[Cell]) -> Acceptance:
    """Return what the steps are with the cells that nothing should act on, where all is beside the default."""
    keys = {_key(cell) for cell in untouched}
    known = [verdict for verdict in steps.verdicts if _key(verdict) not in keys]
    return replace(
        steps,
        verdicts=(*known, *(verdict for verdict in whole.verdicts if _key(verdict) in keys)),
        evidence=(
            *(evidence for evidence in steps.evidence if evidence.cell not in untouched),
            *(evidence for evidence in whole.evidence if evidence.cell in untouched),
        ),
    )


def _key(subject: Verdict | Cell) -> tuple[object, ...]:
    return subject.benchmark, subject.size_bytes, subject.ranks, subject.options, subject.placement


def _both(before: Verdict, after: Verdict) -> Verdict:
    ratio, low, high = (
        before.ratio * after.ratio, before.ratio_low * after.ratio_low, before.ratio_high * after.ratio_high
    )  # fmt: skip
    verdict_words = {before.verdict, after.verdict}
    word: VerdictWord = "undecided"
    if len(verdict_words) == 1:
        word = before.verdict
    elif "faster" in verdict_words and high < 1:
        word = "faster"
    elif "slower" in verdict_words and low > 1:
        word = "slower"
    return replace(
        before, ratio=ratio, ratio_low=low, ratio_high=high, verdict=word,
        candidate_seconds=after.candidate_seconds,
        p_value=max(before.p_value, after.p_value), q_value=max(before.q_value, after.q_value),
        visible_ratio=max(before.visible_ratio, after.visible_ratio),
        launches=(min(before.launches[0], after.launches[0]), min(before.launches[1], after.launches[1])),
    )  # fmt: skip


def _gain(gains: Sequence[Gain], cells: int) -> Gain:
    """Over all cells of any step: each step's mean counts for those that it acts on."""
    if not gains:
        return Gain(math.nan, math.nan, math.nan, 0)
    shares = [gain.cells / max(cells, gain.cells) for gain in gains]

    def product(of: Sequence[float]) -> float:
        return math.exp(sum(share * math.log(ratio) for share, ratio in zip(shares, of, strict=True)))

    return Gain(
        product([gain.ratio for gain in gains]), product([gain.ratio_low for gain in gains]),
        product([gain.ratio_high for gain in gains]), cells, any(gain.weighted for gain in gains),
    )  # fmt: skip
