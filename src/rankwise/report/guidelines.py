"""Guidelines in the terminal: violations, by how much, and what to do; then a mark a guideline and size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rankwise.analysis import labels
from rankwise.analysis.guidelines.checks import Word
from rankwise.analysis.guidelines.findings import Finding
from rankwise.core.units import format_size, format_time
from rankwise.report.views import format_ratio, interval


@dataclass(frozen=True, slots=True)
class RemedyShown:
    """A remedy as people read it: what ends a violation."""

    words: tuple[str, ...]
    """What can be done, in sentences ..."""
    settings: tuple[str, ...] = ()
    """... variables and arguments of mpiexec that do it ..."""
    commands: tuple[str, ...] = ()
    """... and the lines of Rankwise that find or load what does it."""


MARKS: dict[Word, tuple[str, str]] = {
    "holds": ("✓", "default"), "violated": ("✗", "yellow"), "undecided": ("?", "bright_black"),
}  # fmt: skip
"""Sign and colour."""


def parts(found: Sequence[Finding], remedies: Mapping[Finding, RemedyShown]) -> Iterator[RenderableType]:
    """Yield one part an implementation and number of ranks; `remedies` has what to do about each violation."""
    several = labels.varied((one.options, one.placement) for one in found)
    for name, ranks in dict.fromkeys((one.variant, one.ranks) for one in found):
        own = [one for one in found if (one.variant, one.ranks) == (name, ranks)]
        violated = [one for one in own if one.word == "violated"]
        yield Renderables(
            Text(f"{name}, {ranks} {'rank' if ranks == 1 else 'ranks'}, {_launches(own)}", "bold"),
            *(_violation(one, one.label(several), remedies.get(one, RemedyShown(()))) for one in violated),
            Text(),
            _overview(own, several),
        )


def _launches(own: Sequence[Finding]) -> str:
    counts = sorted(check.launches for one in own for check in one.checks)
    return f"{counts[0]} launches" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} launches"


def _violation(finding: Finding, label: str, remedy: RemedyShown) -> RenderableType:
    table = _table()
    for title in ("size", "takes", "held to", "which takes", "ratio"):
        table.add_column(title, justify="right", no_wrap=title != "held to")
    for one in finding.violations:
        table.add_row(
            *(
                Text(cell)
                for cell in (
                    format_size(one.size_bytes), format_time(one.operation_seconds), one.other,
                    format_time(one.other_seconds), f"{format_ratio(one.ratio)} {interval(one)}",
                )
            )
        )  # fmt: skip
    lines = (*remedy.words, *remedy.settings, *remedy.commands)
    return Renderables(
        Text(f"✗ {label}", "yellow"),
        Padding(table, (0, 0, 0, 2)),
        *(Padding(Text(line, "green"), (0, 0, 0, 2)) for line in lines),
    )


def _overview(own: Sequence[Finding], several: frozenset[str]) -> RenderableType:
    """A row a guideline, a column a size; a size at which it was not checked is blank."""
    table = _table()
    table.add_column("guideline")
    sizes = sorted({one.size_bytes for finding in own for one in finding.checks})
    for size in sizes:
        table.add_column("\n".join(format_size(size).split(" ")), justify="right")
    for finding in own:
        words = {one.size_bytes: one.word for one in finding.checks}
        marks = (Text(*MARKS[words[size]]) if size in words else Text() for size in sizes)
        table.add_row(Text(finding.label(several)), *marks)
    legend = Text("  ").join(Text(f"{mark} {word}", colour) for word, (mark, colour) in MARKS.items())
    return Renderables(table, legend)


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 1), header_style="bright_black")
