"""Rows and sentences about a program say what its launches gave: in the metric's own unit and direction."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.programs import as_times, program_rows, program_sentences, value_words, variants
from rankwise.core.programs import WALL_TIME, Metric, ProgramRow
from rankwise.core.records import Benchmark, Cell, CellFailure, Launch, Options, Segment, Series

TIME, RATE = Metric("Time", "t"), Metric("Rate", "r", higher_is_better=True)
FAST, SLOW = "fast-1.0", "slow-1.0"


def launch(cells: list[Cell], values: list[float], at: float) -> Launch:
    series = tuple(Series(cell, "metric", np.array([value])) for cell, value in zip(cells, values, strict=True))
    return Launch((Segment(cells[0].implementation, 2),), "finished", "", (), at, 1.0, series=series)


def measured(metrics: tuple[Metric, ...], launches: list[Launch], baseline: str | None) -> tuple[ProgramRow, ...]:
    of = variants(one.cell for found in launches for one in (*found.series, *found.failures))
    benchmarks = {one.name: Benchmark(one.name, "program", "", sized=False) for one in metrics}
    return program_rows(compare(as_times(launches, metrics, of), benchmarks, baseline), launches, metrics, of)


def both_metrics() -> list[Launch]:
    """The fast one takes 1 s and does 10 a second, the slow one 2 s and 5; each with 2 % of noise."""
    found = []
    for number in range(12):
        noise = 1 + 0.02 * math.sin(number)
        for name, seconds in ((FAST, 1.0), (SLOW, 2.0)):
            cells = [Cell(name, "Time", 0, 2), Cell(name, "Rate", 0, 2)]
            found.append(launch(cells, [seconds * noise, 10 / seconds / noise], len(found)))
    return found


def test_a_rate_and_a_time_of_the_same_runs_have_the_same_verdict() -> None:
    rows = {(one.metric, one.variant): one for one in measured((TIME, RATE), both_metrics(), FAST)}
    time, rate = rows["Time", SLOW], rows["Rate", SLOW]
    assert time.verdict == rate.verdict == "slower"
    assert time.p_value == pytest.approx(rate.p_value)
    assert time.ratio == pytest.approx(2.0, rel=0.02) and rate.ratio == pytest.approx(0.5, rel=0.02)
    assert rate.ratio_low <= rate.ratio <= rate.ratio_high < 0.6
    assert rate.median == pytest.approx(5.0, rel=0.02) and rate.low <= rate.median <= rate.high
    assert rows["Time", FAST].verdict is None and rows["Time", FAST].launches == 12


def test_the_best_comes_first_whichever_way_the_metric_goes() -> None:
    rows = measured((TIME, RATE), both_metrics(), SLOW)
    assert [(one.metric, one.variant) for one in rows] == [
        ("Time", FAST), ("Time", SLOW), ("Rate", FAST), ("Rate", SLOW)
    ]  # fmt: skip
    said = " ".join(program_sentences(rows, SLOW))
    assert (
        "Time on 2 ranks: the lowest median is 1" in said
        and "Rate on 2 ranks: the highest median is 9.986" in said
    )
    assert f"{FAST} 0.50" in said and "faster" in said


def test_a_variant_that_fails_is_told_with_its_reason_and_has_no_value() -> None:
    cell = Cell(SLOW, "Time", 0, 2)
    bad = replace(launch([cell], [1.0], 99.0), series=(), failures=(CellFailure(cell, "exit code 3: no"),))
    only = [one for one in both_metrics() if one.implementation == FAST]
    rows = measured((TIME,), [*only, bad, replace(bad, started_at=100.0)], None)
    failed = next(one for one in rows if one.variant == SLOW)
    assert (failed.launches, failed.failed, failed.reason) == (0, 2, "exit code 3: no")
    assert math.isnan(failed.median) and failed.verdict is None
    assert f"{SLOW} failed in 2 launches: exit code 3: no." in program_sentences(rows, FAST)
    assert program_sentences([failed], "") == ["Nothing was measured: no run of the program gave a value."]


def test_placements_of_one_implementation_are_compared() -> None:
    found = []
    for number in range(12):
        for placement, seconds in (("block", 1.0), ("cyclic", 3.0)):
            cell = Cell(FAST, "Time", 0, 2, placement=placement)
            found.append(launch([cell], [seconds + 0.01 * math.cos(number)], len(found)))
    (row,) = [one for one in measured((TIME,), found, f"{FAST} + block") if one.verdict]
    assert (row.variant, row.verdict) == (f"{FAST} + cyclic", "slower")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a-1", "b-1"]), st.sampled_from(["default", "wan"]),
            st.sampled_from(["block", "cyclic"]),
            st.sampled_from(["local", "two-clusters"]), st.sampled_from(["", "bbr", "cubic"]),
        ),
        min_size=1,
    )
)  # fmt: skip
def test_variants_are_told_apart_exactly_where_they_differ(chosen: list[tuple[str, str, str, str, str]]) -> None:
    cells = [
        Cell(name, "Time", 0, 2, Options(congestion_control=control), label, testbed, placement)
        for name, label, placement, testbed, control in chosen
    ]
    of = variants(cells)
    assert len({one.variant for one in of.values()}) == len(set(cells))
    if len(set(cells)) == 1 and cells[0].label == "default":
        assert of[cells[0]].variant == cells[0].implementation


def test_only_wall_time_has_a_unit_that_is_known() -> None:
    assert value_words(WALL_TIME, 1.5) == "1.5 s" and value_words("Gflops", 1.5) == "1.5"
    assert value_words("Gflops", math.nan) == "-"
