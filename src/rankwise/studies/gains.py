"""What applications gain by the overlay, a tuned profile or a mapped placement, beside the same MPI as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from rankwise.core.records import DEFAULT, Cell
from rankwise.studies import wording
from rankwise.studies.application_figures import figures_where
from rankwise.studies.base import OVERLAY, Results, Row, StudyRun, Table
from rankwise.studies.ranges import over_launches

_AS_IT_IS, _MAPPED = "as it is", "mapped placement"
_VARIANTS = (OVERLAY, "tuned profile", _MAPPED)
NO_PROFILE, NOT_MAPPED, MAPPED = "no-profile", "not-mapped", "mapped"
"""The kinds of notices that say which variant is missing and why, and what a mapping is to gain."""
_MISSING = over_launches(())
_NOTE = (
    "Not in the paper. How many times faster than the same MPI as it is, measured in turn with it; 1: nothing "
    "gained. "
)


def gain_table(
    title: str, run: StudyRun, results: Results | None, figures: Mapping[str, str], note: str
) -> tuple[Table, ...]:
    """Return a table with a row for each variant and implementation, or none where nothing was measured.

    `figures`: those that are times, by the heads of their columns.
    """
    wanted = _which(run)
    rows = []
    before = figures_where(results, figures.values(), wanted(_AS_IT_IS))
    for variant in _VARIANTS:
        for name, own in figures_where(results, figures.values(), wanted(variant)).items():
            known = before.get(name, {})
            ratios = (
                known[figure] / own[figure] if figure in own and figure in known else _MISSING
                for figure in figures.values()
            )
            cells = tuple(wording.with_interval(ratio, "{:.2f}".format) for ratio in ratios)
            rows.append(Row(f"{name}, {variant}", cells, name))
    if not results or not any(series for launch in results.launches for series in launch.series):
        return ()
    messages = (
        notice.message for notice in results.comparison.notices if notice.kind in (NO_PROFILE, NOT_MAPPED, MAPPED)
    )
    text = " ".join([_NOTE + note, *(f"{message[0].upper()}{message[1:]}." for message in messages)])
    return (Table(title, tuple(figures), tuple(rows), text),)


def _which(run: StudyRun) -> Callable[[str], Callable[[Cell], bool]]:
    return lambda variant: partial(_belongs, run.placement, variant)


def _belongs(placement: str, variant: str, cell: Cell) -> bool:
    return variant_of(cell, placement) == variant


def variant_of(cell: Cell, placement: str) -> str:
    """Return in what a cell of a run with this placement was measured."""
    if cell.label == OVERLAY:
        return OVERLAY
    if cell.label != DEFAULT:
        return "tuned profile"
    return _AS_IT_IS if cell.placement == placement else _MAPPED
