"""Rows and cells of tables show the records, and claim no winner that was not shown."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.core.results import Comparison, SummaryRow
from rankwise.report.groups import GroupedComparison
from rankwise.report.views import (
    class_rows,
    failure_rows,
    format_ratio,
    heat_maps,
    summary_tint,
    verdict_counts,
    verdict_figure,
)
from report import samples


def row(name: str, ratio: float, width: float = 0.02, fastest: int = 0) -> SummaryRow:
    return SummaryRow(name, "collective", "all", ratio, ratio - width, ratio + width, fastest, 8, 10)


def with_summary(*rows: SummaryRow) -> GroupedComparison:
    return GroupedComparison(replace(samples.comparison(), summary=rows))


def test_the_best_is_named_only_when_its_interval_is_clear_of_all_others() -> None:
    clear = with_summary(row("a", 1.0), row("b", 0.8), row("c", 1.2))
    assert [r.best for r in class_rows(clear)] == ["b"]
    close = with_summary(row("a", 1.0), row("b", 0.97), row("c", 1.2))
    assert [r.best for r in class_rows(close)] == [""]
    assert [r.best for r in class_rows(with_summary(row("a", 1.0)))] == [""]


def test_an_undecided_verdict_tells_what_would_have_been_found_in_place_of_the_ratio() -> None:
    one = replace(samples.comparison().verdicts[0], ratio=1.5, verdict="undecided", visible_ratio=1.22)
    assert verdict_figure(one) == "±22 %"
    assert verdict_figure(replace(one, visible_ratio=3.14)) == "±3.1×"
    assert verdict_figure(replace(one, visible_ratio=math.inf)) == ""
    assert verdict_figure(replace(one, verdict="probably slower")) == "1.50"


def test_a_class_is_coloured_only_when_its_interval_leaves_one_out() -> None:
    assert summary_tint(row("a", 1.01))[0] == ""
    assert summary_tint(row("a", 1.1))[0] == "slower"
    assert summary_tint(row("a", 0.9))[0] == "faster"
    assert summary_tint(row("a", 8.0))[1] == 1.0


def test_heat_maps_hold_every_verdict_and_every_failure_once() -> None:
    comparison = samples.comparison()
    maps = heat_maps(GroupedComparison(comparison))
    assert [heat_map.candidate for heat_map in maps] == list(samples.IMPLEMENTATIONS[1:])
    kinds = [cell.kind for heat_map in maps for _, cells in heat_map.rows for cell in cells if cell.kind]
    assert len(kinds) == len(comparison.verdicts) + len(comparison.failures)
    assert kinds.count("failed") == len(comparison.failures)


def test_a_tip_tells_ratio_interval_and_verdict() -> None:
    comparison = samples.comparison()
    first = comparison.verdicts[0]
    cell = next(c for c in heat_maps(GroupedComparison(comparison))[0].rows[0][1] if c.kind)
    assert format_ratio(first.ratio) in cell.tip
    assert f"[{format_ratio(first.ratio_low)}, {format_ratio(first.ratio_high)}]" in cell.tip
    assert first.verdict in cell.tip


def test_counts_add_up_to_the_verdicts() -> None:
    comparison = samples.comparison()
    counts = verdict_counts(GroupedComparison(comparison))
    assert sum(sum(count.values()) for count in counts.values()) == len(comparison.verdicts)


def test_failures_for_one_reason_are_one_row() -> None:
    rows = failure_rows(GroupedComparison(samples.comparison()))
    assert [(r.implementation, r.benchmark, r.sizes) for r in rows] == [
        ("lammpi-7.1.4", "ibcast", "12 sizes, 1 B – 4 MiB"),
        ("lammpi-7.1.4", "iallreduce", "12 sizes, 1 B – 4 MiB"),
        ("lammpi-7.1.4", "put", "12 sizes, 1 B – 4 MiB"),
        ("mpich-4.0.2", "alltoall", "4 MiB"),
    ]


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.824, "0.82"), (9.996, "10.0"), (12.34, "12.3"), (130.4, "130"), (math.nan, "–")]
)
def test_ratios_keep_three_digits(ratio: float, text: str) -> None:
    assert format_ratio(ratio) == text


@given(st.floats(min_value=0.01, max_value=1e4))
def test_a_ratio_is_never_wider_than_the_column(ratio: float) -> None:
    assert len(format_ratio(ratio)) <= 5


def test_all_failed_still_has_rows_of_failures(all_failed: Comparison) -> None:
    grouped = GroupedComparison(all_failed)
    assert heat_maps(grouped) == []
    assert failure_rows(grouped)
