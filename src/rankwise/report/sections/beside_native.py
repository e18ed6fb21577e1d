"""Schedules that were measured beside the operation that they do."""

from __future__ import annotations

from collections.abc import Iterator

from rankwise.core.errors import RankwiseError
from rankwise.core.network import Topology
from rankwise.core.results import BesideNative, Comparison
from rankwise.core.schedule_names import has_parameters, is_file, operation_of
from rankwise.report.beside_native import TITLE, ratio, shown, where
from rankwise.report.page import Section
from rankwise.report.schedule_drawing import schedule_svg
from rankwise.schedules import generator
from rankwise.schedules.model import Problem
from rankwise.schedules.network_file import network_of
from rankwise.schedules.traffic import Shown, traffic

_MOST_RANKS = 32
"""Of a drawing; more do not fit on a page."""


def beside_native(comparison: Comparison, topology: Topology | None) -> Section | None:
    """Return the table of schedules of users, and of others that are faster, with drawings; None without any."""
    rows = shown(comparison)
    if not rows:
        return None
    return Section(
        "beside_native",
        {
            "rows": rows,
            "title": TITLE,
            "ratio": ratio,
            "where": where,
            "drawings": list(_drawings(rows, topology)),
        },
        link="Schedules",
    )


def _drawings(rows: list[BesideNative], topology: Topology | None) -> Iterator[tuple[str, str]]:
    """Title and SVG of each of our algorithms, once for a number of ranks, placed in blocks as is usual.

    What a file held is not stored, what has parameters is drawn by `rankwise schedule show`; where no library of
    the algorithms can be built, nothing is drawn.
    """
    for name, ranks in dict.fromkeys((row.schedule, row.verdict.ranks) for row in rows):
        if is_file(name) or has_parameters(name) or ranks > _MOST_RANKS:
            continue
        network = network_of(topology, ranks) if topology and topology.nodes else None
        try:
            algorithm = generator.algorithm(operation_of(name), name.partition(".")[2])
            problem = Problem(algorithm.operation, ranks, count=ranks, network=network)
            made = generator.schedules(algorithm, problem)
        except RankwiseError:
            continue
        drawn = Shown(algorithm.id, algorithm.description, problem, made, traffic(problem, made), 1.0)
        yield f"{algorithm.id} on {ranks} ranks: {algorithm.description}", schedule_svg(drawn)
