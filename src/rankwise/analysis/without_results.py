"""Variants that gave no result: what a run was asked for and does not have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankwise.core.records import Cell, Launch, Notice

NOT_STARTED = "the run ended before its first launch"
NO_RESULT: frozenset[str] = frozenset({"no-result", "build-failed"})
"""Kinds of notices: something that was to be measured gave nothing at all."""


def without_results(cells: Iterable[Cell], launches: Sequence[Launch], *, verify: bool = False) -> dict[str, str]:
    """Return the variants of a plan that gave no result in any cell, each with why.

    `verify`: data that were checked and right are results.
    """
    with_results = {cell.variant for launch in launches for cell, _ in launch.visits()}
    if verify:
        with_results |= {cell.variant for launch in launches for cell in launch.verified}
    missing = {cell.variant: cell.implementation for cell in cells if cell.variant not in with_results}
    reasons: dict[str, str] = {}
    for launch in launches:
        for failure in launch.failures:
            reasons.setdefault(failure.cell.variant, failure.reason)
    for launch in launches:
        for variant, implementation in missing.items():
            if launch.reason and implementation == launch.implementation:
                reasons.setdefault(variant, launch.reason)
    return {variant: reasons.get(variant) or NOT_STARTED for variant in missing}


def no_result_notices(
    cells: Iterable[Cell], launches: Sequence[Launch], *, verify: bool = False
) -> tuple[Notice, ...]:
    """Return a notice for each variant without any result."""
    return tuple(
        Notice("no-result", f"{variant} gave no result: {reason}", "rankwise show lists how each launch ended")
        for variant, reason in without_results(cells, launches, verify=verify).items()
    )
