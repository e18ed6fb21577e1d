"""The statements of Martinasso 2006 come out as the data has them, either way."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from rankwise.analysis.compare.comparison import compare
from rankwise.core.flows import Pattern, benchmark_of, pattern_of
from rankwise.core.records import Benchmark, Cell, Launch, RunSummary, Segment, Series, Timeline
from rankwise.studies import base
from rankwise.studies.base import Results, Statement

STUDY = base.find("martinasso2006")
(RUN,) = STUDY.runs
LAM = "lammpi-7.1.4"
ALONE = 0.36
PUBLISHED: Mapping[str, tuple[float, ...]] = {
    "pattern:1-0+1-2": (2.0, 2.0), "pattern:0-1+2-1": (2.0, 2.0), "pattern:0-1+1-2": (1.0, 1.75),
    "pattern:0-1+2-1+2-3": (1.5, 2.0, 1.5),
}  # fmt: skip


def results(truth: Mapping[str, tuple[float, ...]], launches: int = 3) -> dict[str, Results]:
    known = {pattern_of(name, 4 << 20): times for name, times in truth.items()}
    found = [launch(known, 1 + 1e-3 * number) for number in range(launches)]
    names = {name: Benchmark(name, "pattern", "flows") for name in RUN.benchmarks}
    summary = RunSummary(
        1, 1.7e9, "rankwise study", STUDY.testbed_name(RUN), (LAM,), 1, launches, "complete", "max launches"
    )
    return {RUN.label: Results(summary, compare(found, names, implementations=(LAM,)), tuple(found))}


def launch(known: Mapping[Pattern, tuple[float, ...]], factor: float) -> Launch:
    lines, series = [], []
    for name in RUN.benchmarks:
        pattern = pattern_of(name)
        times = ALONE * factor * np.array(known.get(pattern, (1.0,) * len(pattern)))
        cell = Cell(LAM, benchmark_of(pattern), 0, 6, testbed=STUDY.testbed_name(RUN), placement="block")
        lines.append(Timeline(cell, "flow", np.tile(times, 3), np.tile(np.arange(len(pattern), dtype=float), 3)))
        series.append(Series(cell, "time", np.full(3, times.max())))
    return Launch((Segment(LAM, 6),), "finished", "", (), 0.0, 1.0, tuple(series), timelines=tuple(lines))


def statements(found: Mapping[str, Results]) -> dict[str, Statement]:
    return {one.claim.key: one for one in STUDY.page(found).statements}


REFUTED: dict[str, dict[str, tuple[float, ...]]] = {
    "together": {"pattern:1-0+1-2": (1.0, 1.0)},
    "receiving-wins": {"pattern:0-1+1-2": (1.0, 1.0)},
    "zigzag": {"pattern:0-1+2-1+2-3": (2.0, 2.0, 2.0)},
}


def test_in_the_published_world_all_hold() -> None:
    found = statements(results(PUBLISHED))
    assert {key: one.verdict for key, one in found.items()} == dict.fromkeys(REFUTED, "holds")


@pytest.mark.parametrize("key", list(REFUTED))
def test_otherwise_it_holds_no_longer(key: str) -> None:
    statement = statements(results({**PUBLISHED, **REFUTED[key]}))[key]
    assert statement.verdict == "no longer", statement.measured


def test_what_was_not_measured_is_undecided() -> None:
    assert {one.verdict for one in statements({}).values()} == {"undecided"}
    assert {one.verdict for one in statements(results(PUBLISHED, launches=2)).values()} == {"undecided"}


def test_the_table_has_the_papers_times_beside_ours() -> None:
    (table,) = STUDY.page(results(PUBLISHED)).tables
    rows = {row.head: row.cells for row in table.rows}
    assert rows["0->1->2"][0].startswith("1.00 [")
    assert rows["0->1->2"][1:] == ("1.00, 1.75", "1.00, 1.75", "1.00, 1.00")
    assert rows["zigzag of 3"][1:] == ("1.50, 2.00, 1.50", "1.75, 2.00, 1.75", "2.00, 2.00, 2.00")
    assert rows["zigzag of 5"][1] == "1.50, 2.00, 1.50, 2.00, 1.50"
    assert rows["3->1"][1:] == ("–", "–", "–")
