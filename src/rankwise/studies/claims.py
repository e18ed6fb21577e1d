"""Statements made of what was measured of each implementation: a claim about all is refuted by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rankwise.core.results import SwitchPoint
from rankwise.studies import wording
from rankwise.studies.base import TCP, Claim, Results, Statement, StatementVerdict
from rankwise.studies.pingpong import BestCurve
from rankwise.studies.ranges import FEWEST_LAUNCHES, Range, every

POINTS_BESIDE = 3
"""Sizes on either side of a threshold without which none could be seen."""


def about_all(
    claim: Claim,
    estimates: Mapping[str, Range],
    judge: Callable[[Range], StatementVerdict],
    formatter: Callable[[float], str],
) -> Statement:
    """Judge a claim about all of `estimates`: it is true if it is true of each."""
    verdicts = {name: judge(estimate) for name, estimate in estimates.items()}
    texts = {
        name: f"{name} ({formatter(estimate.value)}{_why_undecided(estimate)})"
        for name, estimate in estimates.items()
    }
    return from_verdicts(claim, verdicts, texts)


def _why_undecided(estimate: Range) -> str:
    """Said where no value could have decided anything."""
    if estimate.launches >= FEWEST_LAUNCHES:
        return ""
    return f", {wording.launches(estimate.launches)}"


def from_verdicts(claim: Claim, verdicts: Mapping[str, StatementVerdict], texts: Mapping[str, str]) -> Statement:
    """Return the same, where each one's verdict and words are known already."""
    return Statement(claim, wording.by_verdict(verdicts, texts), every(verdicts.values()))


def threshold(
    claim: Claim,
    results: Results | None,
    curves: Mapping[str, BestCurve],
    near_bytes: tuple[int, int],
    *,
    gone: bool = False,
) -> Statement:
    """Test whether each implementation's time jumps within `near_bytes`; `gone`: that it does not."""
    verdicts: dict[str, StatementVerdict] = {}
    texts = {}
    for name, curve in curves.items():
        if name == TCP:
            continue
        inside = [point for point in jumps(results, name) if meets(point, near_bytes)]
        verdicts[name] = _threshold_verdict(curve, bool(inside) != gone, near_bytes)
        texts[name] = f"{name} ({', '.join(map(wording.jump, inside)) or 'no jump there'})"
    return from_verdicts(claim, verdicts, texts)


def jumps(results: Results | None, implementation: str) -> list[SwitchPoint]:
    """Return where this implementation's ping-pong suddenly takes longer."""
    points = results.comparison.switch_points if results else ()
    return [
        point
        for point in points
        if (point.implementation, point.benchmark) == (implementation, "pingpong") and point.jump_ratio > 1
    ]


def meets(jump: SwitchPoint, near_bytes: tuple[int, int]) -> bool:
    """Return whether a jump in (below, at] may lie within the bounds: one of these does, or both enclose them."""
    return jump.below_bytes <= near_bytes[1] and jump.at_bytes >= near_bytes[0]


def _threshold_verdict(curve: BestCurve, as_claimed: bool, near_bytes: tuple[int, int]) -> StatementVerdict:
    below = sum(point.size_bytes <= near_bytes[0] for point in curve)
    above = sum(point.size_bytes >= near_bytes[1] for point in curve)
    launches = min(point.seconds.launches for point in curve)
    if launches < FEWEST_LAUNCHES or min(below, above) < POINTS_BESIDE:
        return "undecided"
    return "holds" if as_claimed else "no longer"
