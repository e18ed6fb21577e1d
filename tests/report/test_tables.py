"""The tables of a comparison fit 80 columns and show every verdict, switch and failure."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from rankwise.core.results import Comparison
from rankwise.report.tables import (
    comparison_table,
    failure_table,
    overhead_table,
    summary_table,
    switch_point_table,
)
from report import grid, samples


def text(renderable: RenderableType, width: int = 80) -> str:
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def test_a_matrix_has_the_baselines_time_and_every_candidates_verdict() -> None:
    lines = text(comparison_table(samples.comparison())).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("pingpong"))
    first = lines[start + 3].split()
    assert first[:4] == ["1", "B", "300", "ns"]
    assert len(first[4::2]) == 5
    assert set(first[4::2]) <= {"▲", "△"}
    assert float(first[-1]) > 5


def test_tables_of_six_implementations_fit_eighty_columns() -> None:
    comparison = samples.comparison()
    for table in (comparison_table, summary_table, switch_point_table, failure_table):
        rendered = text(table(comparison))
        assert max(len(line) for line in rendered.splitlines()) <= 80
        assert "…" not in rendered


def test_failed_cells_are_named() -> None:
    lines = text(comparison_table(samples.comparison())).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("alltoall"))
    assert any("4 MiB" in line and "failed" in line for line in lines[start : start + 16])


def test_summary_has_each_class_and_who_is_fastest() -> None:
    rendered = text(summary_table(samples.comparison()))
    for word in ("point-to-point", "one-sided", "up to 1 KiB", "all sizes", "fastest", "not beaten"):
        assert word in rendered


def test_switch_points_tell_where_and_how_much() -> None:
    rendered = text(switch_point_table(samples.comparison()))
    (line,) = (line for line in rendered.splitlines() if line.startswith("mpich-5.0.2"))
    assert line.split() == ["mpich-5.0.2", "pingpong", "2", "16", "KiB", "64", "KiB", "1.60", "1.52-1.68"]


def test_names_are_never_read_as_markup() -> None:
    comparison = samples.comparison()
    failure = replace(comparison.failures[0], reason="[red]boom[/red]")
    assert "[red]boom[/red]" in text(failure_table(replace(comparison, failures=(failure,))), width=120)


@pytest.mark.parametrize(
    "fixture", ["nothing", "one_implementation", "too_few_launches", "one_size", "all_failed"]
)
def test_degenerate_comparisons_have_tables(fixture: str, request: pytest.FixtureRequest) -> None:
    comparison: Comparison = request.getfixturevalue(fixture)
    tables = (comparison_table, summary_table, switch_point_table, failure_table)
    matrix, summary, switches, failures = (text(table(comparison)) for table in tables)
    for rendered in (matrix, summary, switches, failures):
        assert "nan" not in rendered
        assert "inf" not in rendered
        assert max(map(len, rendered.splitlines())) <= 80
    measured = {verdict.benchmark for verdict in comparison.verdicts} | {c.benchmark for c in comparison.curves}
    measured -= {"tcp_pingpong", "memcpy"}
    titles = {line.split(",")[0] for line in matrix.splitlines() if line.rstrip().endswith(" ranks")}
    assert titles == measured
    assert ("Nothing was measured." in matrix) == (not measured)
    categories = {row.category for row in comparison.summary}
    assert {word for word in ("point-to-point", "collective", "nonblocking", "one-sided") if word in summary} == (
        categories
    )
    assert ("No switch of protocol" in switches) == (not comparison.switch_points)
    assert ("Every cell gave a result." in failures) == (not comparison.failures)
    for failure in comparison.failures:
        assert failure.cell.benchmark in failures


def test_what_is_not_there_is_said_without_a_table(one_implementation: Comparison) -> None:
    bare = replace(one_implementation, switch_points=(), failures=())
    assert text(switch_point_table(bare)) == "No switch of protocol or algorithm was found in the curves.\n"
    assert text(failure_table(bare)) == "Every cell gave a result.\n"


def test_overheads_over_tcp_by_size_fit_eighty_columns() -> None:
    rendered = text(overhead_table(grid.comparison()))
    assert max(len(line) for line in rendered.splitlines()) <= 80
    assert "…" not in rendered
    blocks = rendered.split("MPI over raw TCP: ")[1:]
    assert [block.splitlines()[0].strip() for block in blocks] == [
        "pingpong, 2 ranks, placement across-sites",
        "pingpong, 2 ranks, placement block",
    ]
    lines = blocks[0].splitlines()
    (number,) = (n for n, line in enumerate(lines) if line.startswith("  4 MiB"))
    assert lines[number].split()[:6] == ["4", "MiB", "44", "ms", "×", "1.006"]
    assert lines[number + 1].split()[:2] == ["+284", "us"]


def test_without_raw_tcp_the_table_says_so() -> None:
    assert (
        text(overhead_table(samples.comparison())) == "MPI and raw TCP were not measured over the same network.\n"
    )


def test_switches_and_failures_name_the_placement_where_there_are_several() -> None:
    base = samples.comparison()
    points = tuple(replace(point, placement="cyclic") for point in base.switch_points)
    failures = tuple(replace(f, cell=replace(f.cell, placement="cyclic")) for f in base.failures)
    varied = replace(base, switch_points=points, failures=failures)
    assert text(switch_point_table(varied), 120).count("pingpong, placement cyclic") == len(points)
    assert "alltoall, placement cyclic" in text(failure_table(varied), 120)
    assert "placement" not in text(switch_point_table(base), 120) + text(failure_table(base), 120)
