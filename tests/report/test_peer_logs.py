"""Logs in the layouts of OSU and IMB are what their readers take: by public readers' rules, and by our own."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import numpy as np
import pytest

from rankwise.analysis.listing import list_cells
from rankwise.core.peers import IMB_NAMES, OSU_TITLES, category_of
from rankwise.core.records import Benchmark, Cell, Launch, Options, Quantity, Segment, Series
from rankwise.report.peer_logs import text_of
from rankwise.store import logs

ONE_PAIR = Cell("mpich-5.0.2", "pingpong", 1000, 2)


def log(layout: str, cells: dict[Cell, float], quantity: Quantity = "time", moves: int = 1) -> str:
    """The cells' times in microseconds, as a log."""
    series = tuple(
        Series(cell, quantity, np.full(3, micro * 1e-6), cell.size_bytes * moves) for cell, micro in cells.items()
    )
    known = {cell.benchmark: Benchmark(cell.benchmark, category_of(cell.benchmark), "") for cell in cells}
    return text_of(list_cells([Launch((Segment("", 2),), "finished", "", (), 0.0, 1.0, series)], known), layout)


def osu_reader(text: str) -> dict[tuple[str, str], dict[int, dict[str, float]]]:
    """As scripts read OSU: title and version by ` v`, the last comment's columns, rows by words."""
    found: dict[tuple[str, str], dict[int, dict[str, float]]] = {}
    title, columns = ("", ""), [""]
    for line in text.splitlines():
        if line.startswith("# OSU"):
            name, version = line.removeprefix("# ").rsplit(" v", 1)
            title = (name, version)
            found[title] = {}
        elif line.startswith("#"):
            columns = re.split(r"\s{2,}", line.removeprefix("#").strip())
        elif line.split():
            numbers = dict(zip(columns, map(float, line.split()), strict=True))
            found[title][int(numbers.pop("Size", 0))] = numbers
    return found


def imb_reader(text: str) -> dict[tuple[str, str], dict[int, dict[str, float]]]:
    """As scripts read IMB: names and processes by expressions, then columns of 13 characters."""
    found: dict[tuple[str, str], dict[int, dict[str, float]]] = {}
    name, processes, columns = "", "", [""]
    for line in text.splitlines():
        if match := re.match(r"# Benchmarking (\S+)", line):
            name = match[1]
        elif match := re.match(r"# #processes = (\d+)", line):
            processes = match[1]
        elif "#repetitions" in line:
            columns = [line[at : at + 13].strip() for at in range(0, len(line), 13)]
            found[name, processes] = {}
        elif line and not line.startswith("#"):
            numbers = [float(line[at : at + 13]) for at in range(0, len(line), 13)]
            row = dict(zip(columns, numbers, strict=True))
            found[name, processes][int(row.pop("#bytes", 0))] = row
    return found


@pytest.mark.parametrize(
    ("cell", "moves", "title", "wanted"),
    [
        (ONE_PAIR, 1, "OSU MPI Latency Test", {"Avg Latency(us)": 4, "P99 Tail Lat(us)": 4}),
        (replace(ONE_PAIR, benchmark="bandwidth"), 1, "OSU MPI Bandwidth Test", {"Bandwidth (MB/s)": 250}),
        (
            replace(ONE_PAIR, benchmark="multi_bandwidth", ranks=8),
            4,
            "OSU MPI Multiple Bandwidth / Message Rate Test",
            {"MB/s": 1000, "Messages/s": 1e6},
        ),
        (
            replace(ONE_PAIR, benchmark="barrier", size_bytes=0),
            0,
            "OSU MPI Barrier Latency Test",
            {"Avg Latency(us)": 4},
        ),
        (replace(ONE_PAIR, benchmark="put"), 1, "OSU MPI_Put Latency Test", {"Latency (us)": 4}),
    ],
)
def test_osu_readers_take_it(cell: Cell, moves: int, title: str, wanted: dict[str, float]) -> None:
    found = osu_reader(log("osu", {cell: 4.0}, moves=moves))
    assert set(found) == {(title, "7.5")}
    (row,) = found[title, "7.5"].values()
    assert wanted.items() <= row.items()


@pytest.mark.parametrize(
    ("cell", "moves", "name", "wanted"),
    [
        (ONE_PAIR, 1, "PingPong", {"#repetitions": 3, "t[usec]": 4, "Mbytes/sec": 250}),
        (
            replace(ONE_PAIR, benchmark="sendrecv"),
            2,
            "Sendrecv",
            {"t_min[usec]": 4, "t_avg[usec]": 4, "Mbytes/sec": 500},
        ),
        (replace(ONE_PAIR, benchmark="bandwidth"), 1, "Uniband", {"Mbytes/sec": 250, "Msg/sec": 250000}),
        (replace(ONE_PAIR, benchmark="bcast"), 1, "Bcast", {"t_min[usec]": 4, "t_max[usec]": 4, "t_avg[usec]": 4}),
        (
            replace(ONE_PAIR, benchmark="barrier", size_bytes=0),
            0,
            "Barrier",
            {"#repetitions": 3, "t_avg[usec]": 4},
        ),
    ],
)
def test_imb_readers_take_it(cell: Cell, moves: int, name: str, wanted: dict[str, float]) -> None:
    found = imb_reader(log("imb", {cell: 4.0}, moves=moves))
    assert set(found) == {(name, "2")}
    (row,) = found[name, "2"].values()
    assert wanted.items() <= row.items()
    assert set(row) - set(wanted) <= {"#repetitions", "t_min[usec]", "t_max[usec]"}


@pytest.mark.parametrize("layout", ["osu", "imb"])
@pytest.mark.parametrize(
    "benchmark", ["pingpong", "allreduce", "put", "barrier", "multi_pingpong", "pingpong_threads"]
)
def test_what_is_written_is_read_again(layout: str, benchmark: str) -> None:
    threads = 4 if benchmark == "pingpong_threads" else 1
    ranks = 2 if benchmark in ("pingpong", "put", "pingpong_threads") else 8
    cell = Cell("mpich-5.0.2", benchmark, 0 if benchmark == "barrier" else 64, ranks, Options(threads=threads))
    other = replace(cell, implementation="openmpi-5.0.11")
    found = logs.read(io.StringIO(log(layout, {cell: 4.0, other: 5.0})))
    assert not found.unused
    assert [one.variant.split(",")[0] for one in found.results] == [cell.implementation, other.implementation]
    assert [(*one.place, one.options, one.seconds) for one in found.results] == [
        (benchmark, cell.size_bytes, ranks, "time", cell.options, pytest.approx(micro * 1e-6)) for micro in (4, 5)
    ]


@pytest.mark.parametrize("layout", ["osu", "imb"])
def test_placements_are_not_runs_of_one_another(layout: str) -> None:
    cells = {replace(ONE_PAIR, placement=word): 4.0 for word in ("block", "cyclic")}
    found = logs.read(io.StringIO(log(layout, cells))).results
    assert len({one.kind for one in found}) == 2


@pytest.mark.parametrize(("layout", "names"), [("osu", OSU_TITLES), ("imb", IMB_NAMES)])
def test_every_benchmark_of_theirs_comes_back_by_its_name(layout: str, names: dict[str, str]) -> None:
    for name in names:
        cell = replace(ONE_PAIR, benchmark=name, options=Options(threads=2 if name.endswith("threads") else 1))
        found = logs.read(io.StringIO(log(layout, {cell: 4.0}))).results
        assert [one.benchmark for one in found] == [name]
