from __future__ import annotations

from dataclasses import replace

from rankwise.core.records import Options
from rankwise.report.groups import Group, GroupedComparison
from report import samples


def test_groups_are_in_reading_order_without_baselines() -> None:
    groups = GroupedComparison(samples.comparison()).groups
    assert [group.benchmark for group in groups] == list(samples.BENCHMARKS)


def test_raw_tcp_and_memory_copy_are_references_of_point_to_point_only() -> None:
    grouped = GroupedComparison(samples.comparison())
    by_name = {group.benchmark: group for group in grouped.groups}
    assert [curve.benchmark for curve in grouped.references(by_name["pingpong"])] == ["tcp_pingpong", "memcpy"]
    assert grouped.references(by_name["bcast"]) == []


def test_other_options_are_another_group_with_a_name_of_its_own() -> None:
    comparison = samples.comparison()
    vector = Options(layout="vector", cold_cache=True)
    varied = tuple(replace(curve, options=vector) for curve in comparison.curves[:2])
    grouped = GroupedComparison(replace(comparison, curves=comparison.curves + varied))
    labels = [group.label for group in grouped.groups if group.benchmark == "pingpong"]
    assert labels == ["pingpong, 2 ranks", "pingpong, 2 ranks, layout vector, cold cache"]


def test_a_curve_without_points_counts_as_not_measured() -> None:
    comparison = samples.comparison()
    empty = tuple(replace(curve, points=()) for curve in comparison.curves)
    grouped = GroupedComparison(replace(comparison, curves=empty))
    assert all(grouped.curves(group) == [] for group in grouped.groups)


def test_label_of_a_single_rank() -> None:
    assert Group("memcpy", "baseline", 1, Options()).label == "memcpy, 1 rank"
