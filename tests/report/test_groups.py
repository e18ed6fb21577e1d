"""Groups find every record of a comparison by key, and tell profiles apart."""

from __future__ import annotations

from dataclasses import replace

from rankwise.core.records import Options
from rankwise.report.distributions import ecdf_nanoseconds
from rankwise.report.groups import Group, GroupedComparison
from rankwise.report.views import failure_rows
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


def with_placements(*placements: str) -> GroupedComparison:
    """The sample measured once a placement."""
    comparison = samples.comparison()
    return GroupedComparison(
        replace(
            comparison,
            curves=tuple(replace(c, placement=word) for word in placements for c in comparison.curves),
            verdicts=tuple(replace(v, placement=word) for word in placements for v in comparison.verdicts),
            switch_points=tuple(
                replace(p, placement=word) for word in placements for p in comparison.switch_points
            ),
            failures=tuple(
                replace(f, cell=replace(f.cell, placement=word))
                for word in placements
                for f in comparison.failures
            ),
        )
    )


def test_placements_are_groups_of_their_own_with_their_own_curves_verdicts_and_references() -> None:
    grouped, alone = with_placements("block", "cyclic"), GroupedComparison(samples.comparison())
    assert len(grouped.groups) == 2 * len(alone.groups)
    assert len(grouped.verdicts) == 2 * len(alone.verdicts)
    assert len(grouped.failures) == 2 * len(alone.failures)
    pingpong = [group for group in grouped.groups if group.benchmark == "pingpong"]
    assert [group.label for group in pingpong] == [
        "pingpong, 2 ranks, placement block",
        "pingpong, 2 ranks, placement cyclic",
    ]
    for group in pingpong:
        assert {curve.placement for curve in grouped.curves(group)} == {group.placement}
        assert [curve.placement for curve in grouped.references(group)] == [group.placement] * 2
        assert {point.placement for point in grouped.switch_points(group)} == {group.placement}


def test_a_single_placement_is_not_named() -> None:
    assert {group.label for group in with_placements("cyclic").groups} == {
        group.label for group in GroupedComparison(samples.comparison()).groups
    }


def test_a_reference_with_the_same_options_is_preferred() -> None:
    comparison = samples.comparison()
    ranks = tuple(replace(curve, ranks=4) for curve in comparison.curves if curve.category == "baseline")
    grouped = GroupedComparison(replace(comparison, curves=(*ranks, *comparison.curves)))
    (pingpong,) = (group for group in grouped.groups if group.benchmark == "pingpong")
    assert [curve.ranks for curve in grouped.references(pingpong)] == [2, 2]


def test_a_raw_stream_is_the_reference_of_streams_alone() -> None:
    comparison = samples.comparison()
    tcp = next(curve for curve in comparison.curves if curve.benchmark == "tcp_pingpong")
    pingpong = next(curve for curve in comparison.curves if curve.benchmark == "pingpong")
    added = (replace(pingpong, benchmark="stream"), replace(tcp, benchmark="tcp_stream"))
    grouped = GroupedComparison(replace(comparison, curves=(*comparison.curves, *added)))
    by_name = {group.benchmark: group for group in grouped.groups}
    assert [curve.benchmark for curve in grouped.references(by_name["stream"])] == ["tcp_stream"]
    assert [curve.benchmark for curve in grouped.references(by_name["pingpong"])] == ["tcp_pingpong", "memcpy"]


def test_a_profile_stands_beside_its_implementation_under_its_own_name() -> None:
    base = samples.comparison()
    cell = replace(base.distributions[0].cell, label="wan")
    failure = replace(base.failures[0], cell=replace(base.failures[0].cell, label="wan"))
    varied = replace(base, distributions=(replace(base.distributions[0], cell=cell),), failures=(failure,))
    grouped = GroupedComparison(varied)
    (quantiles,) = ecdf_nanoseconds(grouped, grouped.group_of(cell)).values()
    assert list(quantiles) == [f"{cell.implementation} + wan"]
    assert [name for _, _, name in grouped.failures] == ["lammpi-7.1.4 + wan"]
    assert [row.implementation for row in failure_rows(grouped)] == ["lammpi-7.1.4 + wan"]
