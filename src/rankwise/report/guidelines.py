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


def parts(findings: Sequence[Finding], remedies: Mapping[Finding, RemedyShown]) -> Iterator[RenderableType]:
    """Yield one part an implementation and number of ranks; `remedies` has what to do about each violation."""
    several = labels.varied((finding.options, finding.placement) for finding in findings)
    for name, ranks in dict.fromkeys((finding.variant, finding.ranks) for finding in findings):
        own = [finding for finding in findings if (finding.variant, finding.ranks) == (name, ranks)]
        violated = [finding for finding in own if finding.word == "violated"]
        yield Renderables(
            Text(f"{name}, {ranks} {'rank' if ranks == 1 else 'ranks'}, {_launches(own)}", "bold"),
            *(
                _violation(finding, finding.label(several), remedies.get(finding, RemedyShown(())))
                for finding in violated
            ),
            Text(),
            _overview(own, several),
        )


def _launches(own: Sequence[Finding]) -> str:
    counts = sorted(check.launches for finding in own for check in finding.checks)
    return f"{counts[0]} launches" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} launches"


def _violation(finding: Finding, label: str, remedy: RemedyShown) -> RenderableType:
    table = _table()
    for title in ("size", "takes", "held to", "which takes", "ratio"):
        table.add_column(title, justify="right", no_wrap=title != "held to")
    for check in finding.violations:
        table.add_row(
            *(
                Text(cell)
                for cell in (
                    format_size(check.size_bytes), format_time(check.operation_seconds), check.other,
                    format_time(check.other_seconds), f"{format_ratio(check.ratio)} {interval(check)}",
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
    sizes = sorted({check.size_bytes for finding in own for check in finding.checks})
    for size in sizes:
        table.add_column("\n".join(format_size(size).split(" ")), justify="right")
    for finding in own:
        outcomes = {check.size_bytes: check.word for check in finding.checks}
        marks = (Text(*MARKS[outcomes[size]]) if size in outcomes else Text() for size in sizes)
        table.add_row(Text(finding.label(several)), *marks)
    legend = Text("  ").join(Text(f"{mark} {word}", colour) for word, (mark, colour) in MARKS.items())
    return Renderables(table, legend)


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 1), header_style="bright_black")
