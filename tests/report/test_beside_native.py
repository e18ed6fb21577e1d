"""The page draws each algorithm that its table shows, once for a number of ranks; others it leaves out."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from rankwise.core.results import BesideNative, Comparison, Verdict
from rankwise.report.sections.beside_native import beside_native


def row(schedule: str, ranks: int, size_bytes: int = 8) -> BesideNative:
    return BesideNative(
        "mpi",
        schedule,
        Verdict("bcast", size_bytes, ranks, "bcast", schedule, 0.5, 0.4, 0.6, 0.001, "faster", 2e-6, 1e-6, (6, 6)),
    )


def drawings(*rows: BesideNative) -> list[tuple[str, str]]:
    comparison = Comparison("mpi", ("mpi",), 0.05, 0.05, (), (), (), (), (), (), (), beside_native=rows)
    section = beside_native(comparison, None)
    assert section is not None
    found: list[tuple[str, str]] = section.values["drawings"]
    return found


def test_an_algorithm_is_drawn_once_for_a_number_of_ranks() -> None:
    found = drawings(row("bcast.linear", 4, 8), row("bcast.linear", 4, 1024), row("bcast.linear", 3))
    assert [words.partition(":")[0] for words, _ in found] == [
        "bcast.linear on 4 ranks",
        "bcast.linear on 3 ranks",
    ]
    arrows = [svg.count("marker-end") for _, svg in found]
    assert arrows == [3, 2]  # the root sends to each of the others
    assert all(ET.fromstring(svg).tag.endswith("svg") for _, svg in found)


def test_files_parameters_and_crowds_are_left_out() -> None:
    assert drawings(row("bcast.file:mine", 4), row("bcast.binomial:segment=8", 4), row("bcast.linear", 33)) == []
