"""What `rankwise bench` prints: our table, or the layouts that users of IMB and OSU know."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rankwise.analysis import labels
from rankwise.analysis.compare.overlaps import overlap
from rankwise.analysis.listing import Row
from rankwise.core.peers import IMB_NAMES, OSU_TITLES
from rankwise.core.records import Benchmark, CellFailure, Launch, Options
from rankwise.core.units import format_bandwidth, format_size, format_time

_MICRO = 1e6


def print_rows(rows: Iterable[Row], layout: str) -> None:
    """Print one block per implementation, benchmark, ranks, options and placement, as `table`, `imb` or `osu`."""
    if layout != "table":
        print(text_of(rows, layout), end="")
        return
    console = Console(highlight=False)
    for block, setting in _blocks(rows):
        console.print(_table(block, setting))
        console.print()


def text_of(rows: Iterable[Row], layout: str) -> str:
    """Return the blocks as IMB's (`imb`) or OSU's (`osu`) logs have them."""
    lines = _imb if layout == "imb" else _osu
    return "".join("\n".join(lines(block, setting)) + "\n\n" for block, setting in _blocks(rows))


def _blocks(rows: Iterable[Row]) -> Iterator[tuple[list[Row], str]]:
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


def _imb(rows: Sequence[Row], setting: str) -> list[str]:
    """IMB's columns. Its t_min, t_max and t_avg are over ranks; ours are over repetitions."""
    first = rows[0]
    lines = [
        "#" + "-" * 71,
        f"# Benchmarking {IMB_NAMES.get(first.benchmark, first.benchmark)}{setting} ({first.implementation})",
        f"# #processes = {first.ranks}; times over repetitions, each from first entry to last exit",
        "#" + "-" * 71,
    ]
    found = _overlapped(rows)
    if found:
        names = ("#bytes", "#repetitions", "t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]")
        lines.append(" ".join(f"{name:>13}" for name in names))
        return lines + [
            f"{row.size_bytes:>13} {row.repetitions:>13} "
            + " ".join(f"{number:>13.2f}" for number in (total, time, compute, share))
            for row, total, compute, time, share in found
        ]
    lines += [
        f"{'#bytes':>13} {'#repetitions':>12} {'t_min[usec]':>12} {'t_max[usec]':>12} {'t_avg[usec]':>12} "
        f"{'t_p50[usec]':>12} {'t_p99[usec]':>12} {'Mbytes/sec':>11}",
    ]
    for row in rows:
        if row.quantity == "time":
            times = (row.min_seconds, row.max_seconds, row.mean_seconds, row.median_seconds, row.p99_seconds)
            lines.append(
                f"{row.size_bytes:>13} {row.repetitions:>12} "
                + " ".join(f"{seconds * _MICRO:>12.2f}" for seconds in times)
                + f" {row.bytes_per_second / 1e6:>11.2f}"
            )
    return lines


def _osu(rows: Sequence[Row], setting: str) -> list[str]:
    """OSU's two columns, then percentiles: bandwidth for the bandwidth benchmarks, else latency."""
    first = rows[0]
    bandwidth = "bandwidth" in first.benchmark
    what = "Bandwidth (MB/s)" if bandwidth else "Latency (us)"
    title = OSU_TITLES.get(first.benchmark, f"MPI {first.benchmark}")
    lines = [
        f"# OSU {title}, {first.ranks} processes{setting}, {first.implementation}; median over repetitions",
    ]
    found = _overlapped(rows)
    if found:
        names = ("Overall(us)", "Compute(us)", "Pure Comm.(us)", "Overlap(%)")
        lines.append(f"{'# Size':<12}" + "".join(f"{name:>18}" for name in names))
        return lines + [
            f"{row.size_bytes:<12}{total:>18.2f}{compute:>18.2f}{time:>18.2f}{share:>18.2f}"
            for row, total, compute, time, share in found
        ]
    lines += [
        f"{'# Size':<12} {what:>18} {'P50 Lat(us)':>14} {'P90 Lat(us)':>14} {'P99 Lat(us)':>14}",
    ]
    for row in rows:
        if row.quantity == "time":
            shown = row.bytes_per_second / 1e6 if bandwidth else row.median_seconds * _MICRO
            tail = (row.median_seconds, row.p90_seconds, row.p99_seconds)
            lines.append(
                f"{row.size_bytes:<12} {shown:>18.2f} " + " ".join(f"{one * _MICRO:>14.2f}" for one in tail)
            )
    return lines


def _overlapped(rows: Sequence[Row]) -> list[tuple[Row, float, float, float, float]]:
    """Each time with what it is measured beside: total, compute and time in microseconds, overlap in percent."""
    medians = {(row.size_bytes, row.quantity): row.median_seconds for row in rows}
    found = []
    for row in rows:
        total, compute = (medians.get((row.size_bytes, one)) for one in ("total", "compute"))
        if row.quantity == "time" and total is not None and compute is not None:
            share = min(1.0, max(0.0, overlap(row.median_seconds, total, compute)))  # as theirs
            found.append((row, total * _MICRO, compute * _MICRO, row.median_seconds * _MICRO, 100 * share))
    return found


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


def print_failures(failures: Sequence[CellFailure]) -> None:
    """Print on standard error what gave no samples, each reason once."""
    console = Console(stderr=True, highlight=False)
    told: set[tuple[str, str, str]] = set()
    for failure in failures:
        key = (failure.cell.variant, failure.cell.benchmark, failure.reason)
        if key not in told:
            told.add(key)
            console.print(
                f"{failure.kind}: {failure.cell.benchmark} on {failure.cell.variant}: {failure.reason}",
                markup=False,
            )


def benchmark_table(menu: Mapping[str, Mapping[str, Benchmark]]) -> Table:
    """Return every benchmark, its category and meaning, and the implementations that cannot run it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("benchmark", no_wrap=True, style="bold")
    for name in ("category", "what it measures", "not on"):
        table.add_column(name)
    benchmarks = {name: one for known in menu.values() for name, one in known.items()}
    for name, one in sorted(benchmarks.items(), key=lambda item: (item[1].category, item[0])):
        lacking = [mpi for mpi, known in menu.items() if name not in known or not known[name].supported]
        table.add_row(name, one.category, one.description, "\n".join(lacking))
    return table
