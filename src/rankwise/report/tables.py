"""The answer in the terminal: rich tables that read well at 80 columns."""

from __future__ import annotations

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rankwise.analysis.compare.sentences import cells_won
from rankwise.analysis.compare.tcp_sentences import ratio_words, signed_time
from rankwise.core.results import Comparison, Overhead, VerdictWord
from rankwise.core.units import format_size, format_time
from rankwise.report.groups import MARKS, Group, GroupedComparison
from rankwise.report.views import (
    SIZE_CLASSES,
    class_rows,
    differs,
    failure_rows,
    format_ratio,
    verdict_figure,
)

_COLOURS: dict[VerdictWord, str] = {
    "faster": "bright_blue",
    "probably faster": "blue",
    "slower": "bright_yellow",
    "probably slower": "yellow",
    "equivalent": "default",
    "undecided": "bright_black",
}


def comparison_table(comparison: Comparison) -> RenderableType:
    """Return for each benchmark a matrix of sizes by candidates: mark and ratio beside the baseline's time."""
    grouped = GroupedComparison(comparison)
    matrices = [Padding(_matrix(grouped, group), (0, 0, 1, 0)) for group in grouped.groups]
    if not matrices:
        return Text("Nothing was measured.")
    legend = Text("Time over the baseline's: ")
    legend.append_text(Text("  ").join(Text(f"{MARKS[word]} {word}", _COLOURS[word]) for word in _COLOURS))
    legend.append("; ± minimum detectable difference", "bright_black")
    return Renderables(*matrices, legend)


def _matrix(grouped: GroupedComparison, group: Group) -> RenderableType:
    baseline = grouped.comparison.baseline
    judged = {name for verdict_group, _, name in grouped.verdicts if verdict_group == group}
    candidates = [name for name in grouped.candidates if name in judged]
    table = _table()
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column(_heading(baseline), justify="right")
    for name in candidates:
        table.add_column(_heading(name), justify="right")
    times = {
        point.size_bytes: point.median_seconds
        for curve in grouped.curves(group)
        if curve.implementation == baseline
        for point in curve.points
    }
    for size in grouped.sizes([group]):
        time = format_time(times[size]) if size in times else "–"
        _add_row(table, format_size(size), time, *(_verdict(grouped, group, size, name) for name in candidates))
    return _titled(group.label, table)


def _verdict(grouped: GroupedComparison, group: Group, size: int, candidate: str) -> Text:
    verdict = grouped.verdicts.get((group, size, candidate))
    if verdict is not None:
        return Text(f"{MARKS[verdict.verdict]} {verdict_figure(verdict)}", _COLOURS[verdict.verdict])
    return Text("failed" if (group, size, candidate) in grouped.failures else "–", "bright_black")


def summary_table(comparison: Comparison, most_rows: int | None = None) -> RenderableType:
    """Return the geometric mean of the time over the baseline's by class, and who is fastest in how many cells.

    Where there are more than `most_rows` classes, only those of all sizes.
    """
    grouped = GroupedComparison(comparison)
    rows = class_rows(grouped)
    if most_rows is not None and len(rows) > most_rows:
        rows = [row for row in rows if row.size_class == "all"]
    table = _table()
    table.add_column("operations")
    table.add_column("sizes", no_wrap=True)
    for name in comparison.implementations:
        table.add_column(_heading(name), justify="right")
    previous = ""
    for row in rows:
        cells = []
        for name in comparison.implementations:
            cell = row.cells.get(name)
            style = "bold" if name == row.best else ""
            cells.append(Text(format_ratio(cell.ratio) if cell else "–", style))
        label = row.category if row.category != previous else ""
        _add_row(table, label, SIZE_CLASSES[row.size_class], *cells)
        previous = row.category
    counted = cells_won(comparison)
    for title, which in (("fastest", 0), ("not beaten", 1)) if rows else ():
        shares = (counted.get(name) for name in comparison.implementations)
        _add_row(table, title, "", *(f"{share[which]}/{share[2]}" if share else "–" for share in shares))
    return _titled(f"Time over that of {comparison.baseline} (geometric means), best in bold", table)


def switch_point_table(comparison: Comparison) -> RenderableType:
    """Return where curves change their protocol or algorithm: between which sizes, and the jump in time."""
    if not comparison.switch_points:
        return Text("No switch of protocol or algorithm was found in the curves.")
    grouped = GroupedComparison(comparison)
    table = _table()
    for title in ("implementation", "benchmark"):
        table.add_column(title)
    for title in ("ranks", "after", "at", "times", "95 %"):
        table.add_column(title, justify="right")
    for point in comparison.switch_points:
        _add_row(
            table,
            point.implementation,
            grouped.group_of(point).setting,
            str(point.ranks),
            format_size(point.below_bytes),
            format_size(point.at_bytes),
            format_ratio(point.jump_ratio),
            f"{format_ratio(point.jump_low)}-{format_ratio(point.jump_high)}",
        )
    return _titled(
        "Switches of protocol or algorithm: time as a multiple of the one extrapolated from smaller sizes", table
    )


def overhead_table(comparison: Comparison) -> RenderableType:
    """Return the time of MPI's ping-pong over raw TCP's, and the difference; grey: not shown to differ."""
    grouped = GroupedComparison(comparison)
    if not grouped.overheads:
        return Text("MPI and raw TCP were not measured over the same network.")
    tables = []
    for group, overheads in grouped.overheads.items():
        table = _table()
        table.add_column("size", justify="right", no_wrap=True)
        table.add_column("raw\nTCP", justify="right", no_wrap=True)
        names = [name for name in comparison.implementations if name in {key[1] for key in overheads}]
        for name in names:
            table.add_column(_heading(name), justify="right", no_wrap=True)
        for size in sorted({size for size, _ in overheads}):
            row = [overheads.get((size, name)) for name in names]
            tcp = next(overhead.tcp_seconds for overhead in row if overhead)
            _add_row(table, format_size(size), format_time(tcp), *map(_overhead, row))
        tables.append(Padding(_titled(f"MPI over raw TCP: {group.label}", table), (0, 0, 1, 0)))
    return Renderables(*tables)


def _overhead(overhead: Overhead | None) -> Text:
    if overhead is None:
        return Text("–", "bright_black")
    text = f"× {ratio_words(overhead.ratio)}\n{signed_time(overhead.difference_seconds)}"
    return Text(text, "default" if differs(overhead) else "bright_black")


def failure_table(comparison: Comparison) -> RenderableType:
    """Return what gave no numbers, and why."""
    if not comparison.failures:
        return Text("Every cell gave a result.")
    table = _table()
    for title in ("implementation", "benchmark", "sizes", "reason"):
        table.add_column(title)
    for row in failure_rows(GroupedComparison(comparison)):
        _add_row(table, row.implementation, row.benchmark, row.sizes, f"{row.kind}: {row.reason}")
    return _titled("Without result", table)


def _table() -> Table:
    return Table(box=None, padding=(0, 1), pad_edge=False, header_style="bright_black")


def _titled(title: str, table: Table) -> RenderableType:
    """The title as a line of its own: as the table's it would be broken at the width of a narrow one."""
    return Renderables(Text(title, "bold"), table)


def _add_row(table: Table, *cells: str | Text) -> None:
    """Strings as they are: rich would read `[...]` in them as its markup."""
    table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))


def _heading(implementation: str) -> Text:
    """The id over two lines, so that six of them fit beside one another: family, then version."""
    return Text("\n".join(implementation.split("-", 1)))
