"""What tables and figures iterate over: one benchmark with its ranks, options and placement, over all sizes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from rankwise.analysis import labels
from rankwise.core.records import Category, Cell, CellFailure, Options, Quantity
from rankwise.core.results import (
    Comparison,
    Curve,
    Distribution,
    Overhead,
    Overlap,
    SwitchPoint,
    Verdict,
    VerdictWord,
)

CATEGORIES: tuple[Category, ...] = (
    "point-to-point", "collective", "nonblocking", "persistent", "neighbourhood", "one-sided", "start-up", "file",
    "guideline", "schedule", "pattern", "harness",
)  # fmt: skip
"""In the order in which a reader meets them; baselines are drawn into the others."""

MARKS: dict[VerdictWord, str] = {
    "faster": "▼", "probably faster": "▽", "slower": "▲", "probably slower": "△", "equivalent": "=",
    "undecided": "?",
}  # fmt: skip
"""Time goes down or up: readable without colour."""

Measured = Cell | Curve | Verdict | SwitchPoint | Overlap
"""A record that tells in which group it belongs."""


@dataclass(frozen=True, slots=True)
class Group:
    """One benchmark, ranks, options and placement; what is compared with what shares a group and a size."""

    benchmark: str
    category: Category
    ranks: int
    options: Options
    placement: str = "block"
    several: frozenset[str] = field(default=frozenset(), compare=False)
    """Which of the settings that belong to a run as a whole (`labels.ONLY_WHERE_VARIED`) it has several of."""

    @property
    def label(self) -> str:
        """Return `bcast, 4 ranks`, and the options that are not the default."""
        return f"{self.benchmark}, {self.detail}"

    @property
    def detail(self) -> str:
        """Return the label without the benchmark."""
        ranks = f"{self.ranks} ranks" if self.ranks != 1 else "1 rank"
        return ", ".join([ranks, *labels.words(self.options, self.placement, self.several)])

    @property
    def setting(self) -> str:
        """Return the benchmark and how it was varied, without the ranks: `bcast, placement cyclic`."""
        return ", ".join([self.benchmark, *labels.words(self.options, self.placement, self.several)])


@dataclass(frozen=True)
class GroupedComparison:
    """A grouped comparison has a comparison's records by group, so that tables and figures find them by key."""

    comparison: Comparison

    @cached_property
    def _categories(self) -> dict[str, Category]:
        return {curve.benchmark: curve.category for curve in self.comparison.curves}

    @cached_property
    def _several(self) -> frozenset[str]:
        comparison = self.comparison
        measured: list[Measured] = [
            *comparison.curves,
            *comparison.verdicts,
            *(failure.cell for failure in comparison.failures),
        ]
        return labels.varied((record.options, record.placement) for record in measured)

    def group_of(self, record: Measured) -> Group:
        """Return the group in which a record belongs."""
        category = self._categories.get(record.benchmark, "harness")
        return Group(record.benchmark, category, record.ranks, record.options, record.placement, self._several)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Return every group that was measured, by category, then as the comparison lists them; no baselines."""
        measured: list[Measured] = [*self.comparison.curves, *self.comparison.verdicts]
        groups = dict.fromkeys(map(self.group_of, measured))
        shown = [group for group in groups if group.category in CATEGORIES]
        return tuple(sorted(shown, key=lambda group: CATEGORIES.index(group.category)))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Return the implementations that are set against the baseline."""
        return tuple(name for name in self.comparison.implementations if name != self.comparison.baseline)

    @cached_property
    def _curves(self) -> dict[tuple[Group, Quantity], list[Curve]]:
        by_group: dict[tuple[Group, Quantity], list[Curve]] = defaultdict(list)
        for curve in filter(lambda curve: curve.points, self.comparison.curves):
            by_group[self.group_of(curve), curve.quantity].append(curve)
        return by_group

    def curves(self, group: Group, quantity: Quantity = "time") -> list[Curve]:
        """Return the curves of a group, one per implementation that was measured; none is empty."""
        return self._curves.get((group, quantity), [])

    def references(self, group: Group) -> list[Curve]:
        """Return one curve per baseline benchmark (raw TCP, memory copy): what point-to-point is held against.

        Only over the same way (placement, congestion control); with the same ranks and options if there is one.
        A raw stream is held against streams alone, which are the same thing with MPI.
        """
        if group.category != "point-to-point":
            return []
        by_benchmark: dict[str, Curve] = {}
        for curve in filter(lambda curve: curve.category == "baseline" and curve.points, self.comparison.curves):
            same_way = curve.placement == group.placement
            same_way &= curve.options.congestion_control == group.options.congestion_control
            same_way &= (curve.benchmark == "tcp_stream") == (group.benchmark == "stream")
            if same_way and (curve.benchmark not in by_benchmark or _alike(curve, group)):
                by_benchmark[curve.benchmark] = curve
        return list(by_benchmark.values())

    def overlaps(self, group: Group) -> dict[str, list[Overlap]]:
        """Return what this group's nonblocking operation hides behind computation, by implementation and size."""
        by_implementation: dict[str, list[Overlap]] = defaultdict(list)
        for overlap in self.comparison.overlaps:
            if self.group_of(overlap) == group:
                by_implementation[overlap.implementation].append(overlap)
        return {
            name: sorted(own, key=lambda overlap: overlap.size_bytes) for name, own in by_implementation.items()
        }

    def switch_points(self, group: Group) -> list[SwitchPoint]:
        """Return the protocol switches seen in this group's curves."""
        return [point for point in self.comparison.switch_points if self.group_of(point) == group]

    @cached_property
    def verdicts(self) -> dict[tuple[Group, int, str], Verdict]:
        """Return the verdicts by group, size in bytes and candidate."""
        return {(self.group_of(v), v.size_bytes, v.candidate): v for v in self.comparison.verdicts}

    @cached_property
    def failures(self) -> dict[tuple[Group, int, str], CellFailure]:
        """Return the first failure of each cell by group, size in bytes and implementation."""
        by_cell: dict[tuple[Group, int, str], CellFailure] = {}
        for failure in self.comparison.failures:
            cell = failure.cell
            by_cell.setdefault((self.group_of(cell), cell.size_bytes, cell.variant), failure)
        return by_cell

    @cached_property
    def distributions(self) -> dict[Group, list[Distribution]]:
        """Return the distributions of each group, all sizes and implementations."""
        by_group: dict[Group, list[Distribution]] = defaultdict(list)
        for distribution in self.comparison.distributions:
            by_group[self.group_of(distribution.cell)].append(distribution)
        return by_group

    @cached_property
    def overheads(self) -> dict[Group, dict[tuple[int, str], Overhead]]:
        """Return what MPI adds to raw TCP, by the ping-pong's group, then by size in bytes and implementation."""
        by_group: dict[Group, dict[tuple[int, str], Overhead]] = defaultdict(dict)
        for overhead in self.comparison.overheads:
            group = Group(
                "pingpong", "point-to-point", overhead.ranks, overhead.options, overhead.placement, self._several
            )
            by_group[group][overhead.size_bytes, overhead.implementation] = overhead
        return by_group

    def sizes(self, groups: Iterable[Group]) -> tuple[int, ...]:
        """Return the sizes, ascending, at which any of `groups` has a verdict or a time."""
        wanted = set(groups)
        sizes = {size for group, size, _ in self.verdicts if group in wanted}
        for (group, _), curves in self._curves.items():
            if group in wanted:
                sizes.update(point.size_bytes for curve in curves for point in curve.points)
        return tuple(sorted(sizes))


def _alike(curve: Curve, group: Group) -> bool:
    return (curve.ranks, curve.options) == (group.ranks, group.options)
