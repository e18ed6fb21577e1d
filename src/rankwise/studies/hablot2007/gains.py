"""What the overlay, a tuned profile and a mapped placement gain for the applications; not in the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from rankwise.core.records import DEFAULT, Cell
from rankwise.studies import wording
from rankwise.studies.application_figures import figures_where
from rankwise.studies.base import OVERLAY, Results, Row, Table
from rankwise.studies.hablot2007 import applications
from rankwise.studies.hablot2007.applications import KERNELS, NPB_GAINS, RAY2MESH_GAINS, seconds_of
from rankwise.studies.ranges import over_launches

_AS_IT_IS = "as it is"
_VARIANTS = ("overlay", "tuned profile", "mapped placement")
NOT_MEASURED = ("no-profile", "nothing-mapped")
"""The kinds of notices that say why a variant is missing."""
_MISSING = over_launches(())
_NOTE = (
    "Not in the paper. How many times faster than the same MPI as it is, measured in turn with it; 1: nothing "
    "gained. {more}{missing}"
)
_OF_NPB = (
    "The profiles are the newest for two nodes of this grid, tuned with a ping-pong. The placement is one for all "
    "kernels, from the bytes of all of them together."
)
_OF_RAY2MESH = (
    "The profiles are the newest for two nodes of the grid, the overlay replaces the Alltoall of the merge. "
    "Nothing is mapped: which worker sends how much is decided while it runs."
)


def gain_tables(results: Mapping[str, Results]) -> tuple[Table, ...]:
    """Return a table for each run that was measured in more than one way."""
    kernels = {kernel.upper(): seconds_of(kernel) for kernel in KERNELS}
    parts = {"computing": "tracing_seconds", "merging": "merging_seconds", "total": "total"}
    found = (
        _table("What NPB on 8 + 8 nodes of two sites would have gained", results.get(NPB_GAINS), kernels, _OF_NPB),
        _table("What ray2mesh would have gained", results.get(RAY2MESH_GAINS), parts, _OF_RAY2MESH),
    )
    return tuple(one for one in found if one.rows)


def _table(title: str, results: Results | None, figures: Mapping[str, str], more: str) -> Table:
    """A row for each variant and implementation, a column for each figure, which is a time."""
    rows = []
    before = figures_where(results, figures.values(), _is(_AS_IT_IS))
    for variant in _VARIANTS:
        for name, own in figures_where(results, figures.values(), _is(variant)).items():
            known = before.get(name, {})
            ratios = (
                known[one] / own[one] if one in own and one in known else _MISSING for one in figures.values()
            )
            cells = tuple(wording.with_interval(ratio, "{:.2f}".format) for ratio in ratios)
            rows.append(Row(f"{name}, {variant}", cells, name))
    notices = results.comparison.notices if results else ()
    missing = "".join(f" {_sentence(one.message)}" for one in notices if one.kind in NOT_MEASURED)
    return Table(title, tuple(figures), tuple(rows), _NOTE.format(more=more, missing=missing))


def _is(variant: str) -> Callable[[Cell], bool]:
    return partial(_belongs, variant)


def _belongs(variant: str, cell: Cell) -> bool:
    return variant_of(cell) == variant


def variant_of(cell: Cell) -> str:
    """Return in what a cell was measured. Of the placement it differs where that is not the run's own."""
    if cell.label == OVERLAY:
        return "overlay"
    if cell.label != DEFAULT:
        return "tuned profile"
    return _AS_IT_IS if cell.placement in _PLACEMENTS else "mapped placement"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


_PLACEMENTS = {run.placement for run in applications.RUNS}
