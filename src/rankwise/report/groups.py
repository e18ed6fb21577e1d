"""What tables and figures iterate over: a group is one benchmark with its ranks and options, over all sizes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property

from rankwise.core.records import (
    Category,
    CellFailure,
    Comparison,
    Curve,
    Distribution,
    Options,
    Quantity,
    SwitchPoint,
    Verdict,
)

CATEGORIES: tuple[Category, ...] = ("point-to-point", "collective", "nonblocking", "one-sided", "harness")
"""In the order in which a reader meets them; baselines are drawn into the others."""

MARKS = {"faster": "▼", "slower": "▲", "equivalent": "=", "undecided": "?"}
"""Time goes down or up: readable without colour."""


@dataclass(frozen=True, slots=True)
class Group:
    """One benchmark, ranks and options; what is compared with what shares a group and a size."""

    benchmark: str
    category: Category
    ranks: int
    options: Options

    @property
    def label(self) -> str:
        """`bcast, 4 ranks`, and the options that are not the default."""
        return f"{self.benchmark}, {self.detail}"

    @property
    def detail(self) -> str:
        """The label without the benchmark."""
        words = [f"{self.ranks} ranks" if self.ranks != 1 else "1 rank"]
        for entry in fields(Options):
            value = getattr(self.options, entry.name)
            if value != entry.default:
                words.append(f"{entry.name.replace('_', ' ')} {value}" if value is not True else "cold cache")
        return ", ".join(words)


@dataclass(frozen=True)
class GroupedComparison:
    """A comparison's records by group, so that every table and figure finds them by key."""

    comparison: Comparison

    @cached_property
    def _categories(self) -> dict[str, Category]:
        return {curve.benchmark: curve.category for curve in self.comparison.curves}

    def _group(self, benchmark: str, ranks: int, options: Options) -> Group:
        return Group(benchmark, self._categories.get(benchmark, "harness"), ranks, options)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Every group that was measured, by category, then as the comparison lists them; no baselines."""
        found = dict.fromkeys(self._group(c.benchmark, c.ranks, c.options) for c in self.comparison.curves)
        found.update(dict.fromkeys(self._group(v.benchmark, v.ranks, v.options) for v in self.comparison.verdicts))
        shown = [group for group in found if group.category in CATEGORIES]
        return tuple(sorted(shown, key=lambda group: CATEGORIES.index(group.category)))

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The implementations that are set against the baseline."""
        return tuple(name for name in self.comparison.implementations if name != self.comparison.baseline)

    @cached_property
    def _curves(self) -> dict[tuple[Group, Quantity], list[Curve]]:
        by_group: dict[tuple[Group, Quantity], list[Curve]] = defaultdict(list)
        for curve in filter(lambda curve: curve.points, self.comparison.curves):
            by_group[self._group(curve.benchmark, curve.ranks, curve.options), curve.quantity].append(curve)
        return by_group

    def curves(self, group: Group, quantity: Quantity = "time") -> list[Curve]:
        """The curves of a group, one per implementation that was measured; none is empty."""
        return self._curves.get((group, quantity), [])

    def references(self, group: Group) -> list[Curve]:
        """One curve per baseline benchmark (raw TCP, memory copy): what point-to-point is held against."""
        if group.category != "point-to-point":
            return []
        found: dict[str, Curve] = {}
        for curve in self.comparison.curves:
            if curve.category == "baseline" and curve.points:
                found.setdefault(curve.benchmark, curve)
        return list(found.values())

    def switch_points(self, group: Group) -> list[SwitchPoint]:
        """The protocol switches seen in this group's curves."""
        return [
            point
            for point in self.comparison.switch_points
            if (point.benchmark, point.ranks, point.options) == (group.benchmark, group.ranks, group.options)
        ]

    @cached_property
    def verdicts(self) -> dict[tuple[Group, int, str], Verdict]:
        """(group, size in bytes, candidate) -> verdict."""
        return {
            (self._group(v.benchmark, v.ranks, v.options), v.size_bytes, v.candidate): v
            for v in self.comparison.verdicts
        }

    @cached_property
    def failures(self) -> dict[tuple[Group, int, str], CellFailure]:
        """(group, size in bytes, implementation) -> the first failure of that cell."""
        found: dict[tuple[Group, int, str], CellFailure] = {}
        for failure in self.comparison.failures:
            cell = failure.cell
            key = (self._group(cell.benchmark, cell.ranks, cell.options), cell.size_bytes, cell.implementation)
            found.setdefault(key, failure)
        return found

    @cached_property
    def distributions(self) -> dict[Group, list[Distribution]]:
        """The distributions of each group, all sizes and implementations."""
        by_group: dict[Group, list[Distribution]] = defaultdict(list)
        for distribution in self.comparison.distributions:
            cell = distribution.cell
            by_group[self._group(cell.benchmark, cell.ranks, cell.options)].append(distribution)
        return by_group

    def sizes(self, groups: Iterable[Group]) -> tuple[int, ...]:
        """The sizes, ascending, at which any of `groups` has a verdict or a time."""
        wanted = set(groups)
        found = {size for group, size, _ in self.verdicts if group in wanted}
        for (group, _), curves in self._curves.items():
            if group in wanted:
                found.update(point.size_bytes for curve in curves for point in curve.points)
        return tuple(sorted(found))
