"""What `rankwise bench` prints as tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.analysis import labels
from rankwise.analysis.listing import Row
from rankwise.core.records import Benchmark, Category, CellFailure, Launch, Options
from rankwise.core.units import format_bandwidth, format_size, format_time


def row_parts(rows: Iterable[Row]) -> Iterator[RenderableType]:
    """Yield a table for each implementation, benchmark, ranks, options and placement."""
    for block, setting in blocks(rows):
        yield _table(block, setting)
        yield ""


def blocks(rows: Iterable[Row]) -> Iterator[tuple[list[Row], str]]:
    """Yield the rows of each implementation, benchmark, ranks, options and placement; words for the last two."""
    listed = list(rows)
    several = labels.varied((row.options, row.placement) for row in listed)
    for _, group in itertools.groupby(sorted(listed, key=_block), key=_block):
        block = sorted(group, key=lambda row: (row.size_bytes, row.quantity))
        yield block, "".join(f", {word}" for word in labels.words(block[0].options, block[0].placement, several))


def _block(row: Row) -> tuple[str, str, int, Options, str]:
    return (row.implementation, row.benchmark, row.ranks, row.options, row.placement)


def _table(rows: Sequence[Row], setting: str) -> Table:
    first = rows[0]
    title = Text(f"{first.benchmark}, {first.ranks} ranks{setting}: {first.implementation}")
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    several = len({row.quantity for row in rows}) > 1
    for name in (
        "size",
        *(["what"] if several else []),
        "samples",
        "min",
        "median",
        "p90",
        "p99",
        "max",
        "bandwidth",
    ):
        table.add_column(name, justify="left" if name == "what" else "right", no_wrap=True)
    for row in rows:
        times = (row.min_seconds, row.median_seconds, row.p90_seconds, row.p99_seconds, row.max_seconds)
        table.add_row(
            format_size(row.size_bytes), *([row.quantity] if several else []), str(row.repetitions),
            *map(format_time, times), format_bandwidth(row.bytes_per_second) if row.bytes_per_second else "",
        )  # fmt: skip
    return table


def verification_table(launches: Iterable[Launch], failures: Iterable[CellFailure]) -> Table:
    """Return how many cells of each implementation and benchmark were right, and what was not."""
    table = Table(title="data checked", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in ("implementation", "benchmark", "right", "not right"):
        table.add_column(name, justify="right" if name == "right" else "left")
    right: dict[tuple[str, str], int] = {}
    wrong: dict[tuple[str, str], list[str]] = {}
    for launch in launches:
        for cell in launch.verified:
            key = (cell.variant, cell.benchmark)
            right[key] = right.get(key, 0) + 1
    for failure in failures:
        key = (failure.cell.variant, failure.cell.benchmark)
        wrong.setdefault(key, []).append(f"{failure.kind}: {failure.reason}")
    for key in sorted({*right, *wrong}):
        reasons = "; ".join(dict.fromkeys(wrong.get(key, [])))
        table.add_row(*key, str(right.get(key, 0)), reasons)
    return table


def failure_lines(failures: Iterable[CellFailure]) -> list[str]:
    """Return what gave no samples, each reason once."""
    return list(dict.fromkeys(
        f"{failure.kind}: {failure.cell.benchmark} on {failure.cell.variant}: {failure.reason}"
        for failure in failures
    ))  # fmt: skip


def benchmark_groups(menu: Mapping[str, Mapping[str, Benchmark]]) -> Iterator[RenderableType]:
    """Yield a line for each category: how many benchmarks it has, and as many of their names as fit."""
    table = Table.grid()
    table.add_column(no_wrap=True, overflow="ellipsis")
    benchmarks = {name: benchmark for known in menu.values() for name, benchmark in known.items()}
    for category in get_args(Category):
        names = sorted(name for name, benchmark in benchmarks.items() if benchmark.category == category)
        if names:
            table.add_row(f"{category:<14} {len(names):>3}  {', '.join(names)}")
    yield table
    yield "\nrankwise bench --list --long: what each measures, and which MPI lacks it"


def benchmark_table(menu: Mapping[str, Mapping[str, Benchmark]]) -> Table:
    """Return every benchmark, its category and meaning, and the implementations that cannot run it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("benchmark", no_wrap=True, style="bold")
    for name in ("category", "what it measures", "not on"):
        table.add_column(name)
    benchmarks = {name: benchmark for known in menu.values() for name, benchmark in known.items()}
    for name, benchmark in sorted(benchmarks.items(), key=lambda item: (item[1].category, item[0])):
        lacking = [mpi for mpi, known in menu.items() if name not in known or not known[name].supported]
        table.add_row(name, benchmark.category, benchmark.description, "\n".join(lacking))
    return table
