"""A launch has one value of a cell, by one rule, and everything that shows launches counts it once."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankwise
from rankwise.analysis.compare.cells import gather
from rankwise.analysis.compare.streams import streams
from rankwise.analysis.listing import list_cells
from rankwise.analysis.tune.observations import Observations
from rankwise.core.records import Benchmark, Cell, Launch, Plan, Segment, Series, launch_value
from rankwise.measurement.adaptive import Progress
from rankwise.store.export import Table
from rankwise.store.store import Store
from rankwise.workflows import compare, run_view

CELL = Cell("a-1", "pingpong", 8, 2)
KNOWN = {"pingpong": Benchmark("pingpong", "point-to-point", "there and back")}
VISITS = ((1.0, 1.0, 7.0), (4.0, 4.0, 4.0))
VALUE = 2.0
"""The geometric mean of their medians; the arithmetic one is 2.5, the median of all samples 4."""


def series(*samples: float, cell: Cell = CELL) -> Series:
    return Series(cell, "time", np.array(samples), 8.0)


def launch(number: int = 0, cell: Cell = CELL) -> Launch:
    own = tuple(series(*samples, cell=cell) for samples in VISITS)
    return Launch((Segment(cell.implementation, 2),), "finished", "", (), float(number), 1.0, own)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three launches that visited their cell twice."""
    path = tmp_path / "results.sqlite"
    with Store(path) as opened:
        run_id = opened.begin_run("rankwise bench", "local", Plan((CELL,), 1, 60.0), benchmarks=KNOWN.values())
        for number in range(3):
            opened.add_launch(run_id, launch(number))
        opened.finish_run(run_id, "complete", "precise")
    return path


def test_the_value_is_the_geometric_mean_of_the_medians_of_visits() -> None:
    assert launch().values() == {(CELL, "time"): pytest.approx(VALUE)}
    assert launch().values(quantile=0)[CELL, "time"] == pytest.approx(2.0)
    assert launch().values(quantile=1)[CELL, "time"] == pytest.approx(math.sqrt(28))


def test_one_visit_is_its_median_to_the_last_bit() -> None:
    samples = np.random.default_rng(1).exponential(size=11)
    assert launch_value([series(*samples)]) == np.median(samples)


def test_the_value_of_inverses_is_the_inverse_value() -> None:
    """So that a rate and the time of one unit of work give one verdict."""
    visits = [series(1.0, 2.0, 3.0), series(5.0, 6.0, 9.0)]
    inverse = [series(*(1 / one.samples_seconds)) for one in visits]
    assert launch_value(inverse) == pytest.approx(1 / launch_value(visits))


def test_values_that_are_not_above_zero_have_an_arithmetic_mean() -> None:
    assert launch_value([series(0.0), series(2.0)]) == 1.0


def test_samples_that_are_not_finite_are_no_samples() -> None:
    own = (series(math.nan, 3.0), series(math.inf, math.nan))
    visits = replace(launch(), series=own).visits()
    assert [one.samples_seconds.tolist() for one in visits[CELL, "time"]] == [[3.0]]


def test_everything_that_shows_a_run_counts_launches(store: Path) -> None:
    (shown,) = run_view.load(None, store).cells
    assert (shown.launches, shown.samples, shown.median_seconds) == (3, 18, pytest.approx(VALUE))
    result = compare.load(None, store)
    assert [one.size for one in result.samples("a-1", "pingpong")[8]] == [6, 6, 6]
    frame = result.to_frame()
    assert list(frame["launch"]) == [1, 2, 3] and list(frame["samples"]) == [6, 6, 6]
    assert list(frame["median_seconds"]) == pytest.approx([VALUE] * 3)
    with Store(store) as opened:
        rows = [
            row for launches in Table(opened, 1, medians=True).launches() for one in launches for row in one.rows()
        ]
    assert [(row[0], row[1]) for row in rows] == [(6, pytest.approx(VALUE))] * 3


def test_all_statistics_take_the_same_value() -> None:
    launches = [launch(number) for number in range(3)]
    (row,) = list_cells(launches, KNOWN)
    assert (row.launches, row.repetitions) == (3, 18)
    (data,) = gather(launches, KNOWN)
    assert data.medians.tolist() == pytest.approx([VALUE] * 3)
    observed = Observations()
    observed.add([CELL], launches[:1])
    assert np.exp(observed.log_seconds(CELL)).tolist() == pytest.approx([VALUE])
    seen: list[list[float]] = []
    progress = Progress(Plan((CELL,), 1, 60.0, min_launches=1), lambda values: seen.append(values.tolist()) or 1.0)
    progress.add(launches[0])
    progress.open_cells()
    assert seen[-1] == pytest.approx([VALUE])


def test_a_stream_that_a_launch_visited_twice_is_one_launch() -> None:
    cell = replace(CELL, benchmark="stream")
    (curve,) = streams(
        [launch(number, cell) for number in range(2)], {"stream": replace(KNOWN["pingpong"], name="stream")}
    )
    assert curve.launches == 2
    assert curve.bytes_per_second.tolist() == pytest.approx([8 / 2, 8 / 2, 8 / math.sqrt(28)])


def test_no_module_has_a_rule_of_its_own() -> None:
    """Whoever takes a median, a quantile or an extreme of a series takes it of all repetitions of a cell."""
    package = Path(rankwise.__file__).parent
    rule = re.compile(r"(median|quantile|percentile|mean)\([^\n]*samples_seconds")
    found = [
        f"{file.relative_to(package)}:{number}"
        for file in package.rglob("*.py")
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        if rule.search(line) and "concatenate" not in line
    ]
    assert len(found) == 1 and found[0].startswith("core/records.py"), found
