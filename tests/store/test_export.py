"""Exported tables hold exactly what was stored."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from rankwise.core.errors import HostError
from rankwise.core.records import Options
from rankwise.store.export import Format, LinkTable, OutputTable, Table, TimelineTable, export
from rankwise.store.store import Store
from support import stored

COUNTERS = ("packets", "bytes", "dropped_packets", "lost_packets", "queue_high_water_bytes")
FIGURES = ("cpu_fraction", "lateness_p50_seconds", "lateness_p99_seconds", "lateness_max_seconds")
FORMATS: tuple[Format, ...] = ("csv", "jsonl", "parquet")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "results.sqlite") as opened:
        yield opened


def read(path: Path, kind: Format) -> list[dict[str, Any]]:
    """The rows of an exported file with typed values."""
    if kind == "parquet":
        return list(parquet.read_table(path).to_pylist())
    lines = path.read_text().splitlines()
    if kind == "jsonl":
        return [json.loads(line) for line in lines]
    kinds: dict[str, Any] = {"cold_cache": "True".__eq__, "in_place": "True".__eq__, "realtime": "True".__eq__}
    for name in ("run", "launch", "size_bytes", "ranks", "window", "batch", "repetition", "samples", "messages",
                 "polls", "groups", "threads", *COUNTERS, "delivered_packets"):  # fmt: skip
        kinds[name] = int
    for name in ("started_at", "bytes_per_sample", "seconds", "median_seconds", "min_seconds", "max_seconds",
                 "time_seconds", "value", *FIGURES):  # fmt: skip
        kinds[name] = float
    return [{name: kinds.get(name, str)(text) for name, text in row.items()} for row in csv.DictReader(lines)]


def expected(run_id: int, launches: int) -> list[dict[str, Any]]:
    """One row a sample, made from the records that were put in."""
    return [
        {
            "run": run_id, "launch": number + 1, "started_at": launch.started_at, "version": "5.0.11",
            "implementation": "openmpi-5.0.11", "benchmark": "allreduce", "size_bytes": series.cell.size_bytes,
            "ranks": 2, "label": "default", "testbed": "local", "placement": "block",
            "configuration": "", "datatype": "byte",
            "layout": "contiguous", "operation": "max", "root": "0", "cold_cache": False, "window": 64,
            "congestion_control": "", "messages": 200, "polls": 16, "target": "polls",
            "in_place": False, "groups": 1, "threads": 1, "sync": "flush", "topology": "cartesian",
            "folder": "",
            "quantity": "time", "batch": 1, "bytes_per_sample": 8.0, "start": "",
            "repetition": repetition, "seconds": seconds,
        }
        for number in range(launches)
        for launch in [stored.make_launch(number)]
        for series in launch.series
        for repetition, seconds in enumerate(series.samples_seconds.tolist())
    ]  # fmt: skip


@pytest.mark.parametrize("kind", FORMATS)
def test_one_row_a_sample_as_it_was_put_in(store: Store, tmp_path: Path, kind: Format) -> None:
    stored.measured(store, launches=1)
    run_id = stored.measured(store, launches=2)
    target = tmp_path / "out"
    export(Table(store, run_id), kind, target)
    rows = read(target, kind)
    assert rows == expected(run_id, 2)
    assert list(rows[0]) == list(expected(run_id, 1)[0]), "the same order of columns in every format"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "results.sqlite"]


@pytest.mark.parametrize("kind", FORMATS)
def test_medians_have_one_row_a_launch_and_cell(store: Store, tmp_path: Path, kind: Format) -> None:
    run_id = stored.measured(store, launches=2)
    export(Table(store, run_id, medians=True), kind, tmp_path / "out")
    rows = read(tmp_path / "out", kind)
    series = [one for number in range(2) for one in stored.make_launch(number).series]
    assert [row["median_seconds"] for row in rows] == [np.median(one.samples_seconds) for one in series]
    assert [row["min_seconds"] for row in rows] == [one.samples_seconds.min() for one in series]
    assert [row["max_seconds"] for row in rows] == [one.samples_seconds.max() for one in series]
    assert {row["samples"] for row in rows} == {5}
    assert [row["size_bytes"] for row in rows] == [one.cell.size_bytes for one in series]


@pytest.mark.parametrize("kind", FORMATS)
def test_options_of_networks_are_columns(store: Store, tmp_path: Path, kind: Format) -> None:
    run_id = stored.begin(store)
    launch = stored.make_launch()
    options = Options(congestion_control="cubic", messages=50)
    series = replace(launch.series[0], cell=replace(stored.CELLS[0], options=options))
    store.add_launch(run_id, replace(launch, series=(series,)))
    export(Table(store, run_id), kind, tmp_path / "out")
    assert {(row["congestion_control"], row["messages"]) for row in read(tmp_path / "out", kind)} == {
        ("cubic", 50)
    }


@pytest.mark.parametrize("kind", FORMATS)
def test_timelines_have_one_row_a_moment(store: Store, tmp_path: Path, kind: Format) -> None:
    run_id = stored.measured(store, launches=2, make=stored.networked_launch)
    export(TimelineTable(store, run_id), kind, tmp_path / "out")
    rows = read(tmp_path / "out", kind)
    assert [
        (row["launch"], row["quantity"], row["size_bytes"], row["time_seconds"], row["value"]) for row in rows
    ] == [
        (number + 1, one.quantity, 64, time_seconds, value)
        for number in range(2)
        for one in stored.make_timelines(number)
        for time_seconds, value in zip(one.times_seconds.tolist(), one.values.tolist(), strict=True)
    ]
    assert list(rows[0]) == list(TimelineTable(store, run_id).columns)
    assert {(row["run"], row["version"], row["implementation"]) for row in rows} == {
        (run_id, "5.0.11", stored.OPENMPI.id)
    }


@pytest.mark.parametrize("kind", FORMATS)
def test_links_have_one_row_a_launch_and_link(store: Store, tmp_path: Path, kind: Format) -> None:
    run_id = stored.measured(store, launches=2, make=stored.networked_launch)
    export(LinkTable(store, run_id), kind, tmp_path / "out")
    rows = read(tmp_path / "out", kind)
    own = [
        {
            "run": run_id, "launch": number + 1, "started_at": 1.7e9 + number, "version": "5.0.11",
            "implementation": stored.OPENMPI.id, "ranks": 2,
        }
        for number in range(2)
    ]  # fmt: skip
    assert rows == [one | asdict(stored.EMULATOR) | asdict(link) for one in own for link in stored.LINKS]
    assert list(rows[0]) == list(LinkTable(store, run_id).columns)


def test_links_without_an_emulator_have_no_figures_of_one(store: Store, tmp_path: Path) -> None:
    run_id = stored.begin(store)
    store.add_launch(run_id, replace(stored.networked_launch(), emulator=None))
    table = LinkTable(store, run_id)
    text = io.StringIO()
    export(table, "csv", text)
    row = next(csv.DictReader(io.StringIO(text.getvalue())))
    assert {row[name] for name in FIGURES} == {"nan"}
    assert (row["delivered_packets"], row["realtime"], row["link"]) == ("", "", "wan.there")
    export(table, "jsonl", tmp_path / "out")
    assert read(tmp_path / "out", "jsonl")[0].items() >= dict.fromkeys((*FIGURES, "realtime")).items()
    export(table, "parquet", tmp_path / "out")
    found = read(tmp_path / "out", "parquet")[0]
    assert np.isnan([found[name] for name in FIGURES]).all()
    assert (found["delivered_packets"], found["realtime"], found["packets"]) == (None, None, 10_000)


@pytest.mark.parametrize("table", [TimelineTable, LinkTable])
@pytest.mark.parametrize("kind", FORMATS)
def test_without_a_network_there_are_columns_but_no_rows(
    store: Store, tmp_path: Path, kind: Format, table: type[TimelineTable | LinkTable]
) -> None:
    export(table(store, stored.measured(store)), kind, tmp_path / "out")
    assert read(tmp_path / "out", kind) == []


@pytest.mark.parametrize("kind", FORMATS)
def test_a_run_without_samples_gives_a_table_without_rows(store: Store, tmp_path: Path, kind: Format) -> None:
    run_id = stored.begin(store)
    store.add_launch(run_id, stored.make_launch(status="failed"))
    export(Table(store, run_id), kind, tmp_path / "out")
    assert read(tmp_path / "out", kind) == []


def test_awkward_values_are_quoted_in_csv_and_null_in_json(store: Store) -> None:
    run_id = stored.begin(store)
    launch = stored.make_launch(repetitions=2)
    cell = replace(stored.CELLS[0], benchmark='a "b",\nc', implementation="baseline")
    samples = np.array([np.nan, np.inf])
    store.add_launch(
        run_id, replace(launch, series=(replace(launch.series[0], cell=cell, samples_seconds=samples),))
    )
    text = io.StringIO()
    export(Table(store, run_id), "csv", text)
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert [(row["benchmark"], row["seconds"]) for row in rows] == [
        (cell.benchmark, "nan"),
        (cell.benchmark, "inf"),
    ]
    text = io.StringIO()
    export(Table(store, run_id), "jsonl", text)
    assert [json.loads(line)["seconds"] for line in text.getvalue().splitlines()] == [None, None]


def test_without_pyarrow_parquet_says_how_to_get_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = stored.measured(store)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(HostError, match="pyarrow") as caught:
        export(Table(store, run_id), "parquet", tmp_path / "out")
    assert "pip install 'rankwise[parquet]'" in caught.value.remedy
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", FORMATS)
def test_what_cannot_be_written_is_an_error(store: Store, tmp_path: Path, kind: Format) -> None:
    run_id = stored.measured(store)
    with pytest.raises(HostError, match=r"cannot write .*: ") as caught:
        export(Table(store, run_id), kind, tmp_path / "no" / "folder" / "out")
    assert "-o" in caught.value.remedy


@pytest.mark.parametrize("kind", FORMATS)
def test_interrupted_half_way_the_old_file_stays(store: Store, tmp_path: Path, kind: Format) -> None:
    class Interrupted(Table):
        def launches(self) -> Iterator[Any]:
            yield next(super().launches())
            raise KeyboardInterrupt

    run_id = stored.measured(store)
    target = tmp_path / "out"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        export(Interrupted(store, run_id), kind, target)
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "results.sqlite"]


def test_a_link_stays_a_link_and_a_pipe_stays_a_pipe(store: Store, tmp_path: Path) -> None:
    run_id = stored.measured(store)
    (tmp_path / "link").symlink_to("real")
    export(Table(store, run_id), "csv", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    whole = (tmp_path / "real").read_text()

    os.mkfifo(tmp_path / "pipe")
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    export(Table(store, run_id), "csv", tmp_path / "pipe")
    reader.join(10)
    assert received == [whole]
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("kind", FORMATS)
def test_what_launches_printed_is_a_table_of_its_own(store: Store, tmp_path: Path, kind: Format) -> None:
    run_id = stored.begin(store)
    store.add_launch(
        run_id, replace(stored.make_launch(0, status="failed"), reason="why", stdout="a\nb", stderr="c,d")
    )
    store.add_launch(run_id, stored.make_launch(1))
    path = tmp_path / f"output.{kind}"
    export(OutputTable(store, run_id), kind, path)
    if kind == "csv":
        rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))
    else:
        rows = read(path, kind)
    assert [(row["status"], row["reason"], row["stdout"], row["stderr"]) for row in rows] == [
        ("failed", "why", "a\nb", "c,d"), ("finished", "", "", "")
    ]  # fmt: skip
