"""The page of a run held to the guidelines: a heat map for each implementation, and what mends each violation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from rankwise.analysis import labels
from rankwise.analysis.guidelines.checks import Check, Word
from rankwise.analysis.guidelines.findings import Finding, violation
from rankwise.core.results import Comparison
from rankwise.core.units import format_size
from rankwise.report import html, network
from rankwise.report.canvas import time_words
from rankwise.report.colours import dark_colours, styles_for
from rankwise.report.context import ReportContext
from rankwise.report.drawing import topology_svg
from rankwise.report.guidelines import MARKS, Mend
from rankwise.report.views import colour_depth, format_ratio, interval
from rankwise.report.writing import write_page

_KINDS: dict[Word, str] = {"holds": "faster", "violated": "slower", "undecided": "undecided"}
"""The style sheet's names: an operation is to be no slower than what it is held to."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """One check; `kind` '' where none was made."""

    word: str = ""
    kind: str = ""
    mark: str = ""
    ratio: str = ""
    interval: str = ""
    strength: float = 0.0
    tip: str = ""


@dataclass(frozen=True, slots=True)
class _Violation:
    title: str
    """`allreduce ≤ reduce + bcast`."""
    worst: str
    mend: Mend


@dataclass(frozen=True, slots=True)
class _Map:
    """One implementation on one number of ranks."""

    implementation: str
    ranks: int
    sizes_bytes: tuple[int, ...]
    rows: tuple[tuple[str, tuple[_Cell, ...]], ...]
    violations: tuple[_Violation, ...]


def write_guidelines(
    path: Path,
    found: Sequence[Finding],
    mends: Mapping[Finding, Mend],
    comparison: Comparison,
    context: ReportContext,
) -> None:
    """Write the page to `path`. Raises HostError if the folder cannot be written or the disk is full."""
    write_page(path, render_guidelines(found, mends, comparison, context))


def render_guidelines(
    found: Sequence[Finding], mends: Mapping[Finding, Mend], comparison: Comparison, context: ReportContext
) -> str:
    """The whole page as text. Of `comparison` only delta, alpha and the notices are told."""
    names = list(dict.fromkeys(one.variant for one in found))
    known = [*names, *(one.id for one in context.implementations)]
    styles = styles_for([*known, *(one.implementation for one in context.commands)])
    emulator = context.network.emulator if context.network else ()
    lateness = [{"label": "", "figures": {"lateness": network.emulator_figure(emulator)}}] if emulator else []
    choices = {"emulator": lateness}
    data = {"groups": [], "choices": choices, "ecdf": {}, "dark": dark_colours(styles.values())}
    drawing = Markup(topology_svg(context.topology, context.paths)) if context.topology else Markup("")
    template = html.environment().get_template("guidelines.html.j2")
    return template.render(
        maps=_maps(found, mends),
        counts={name: _counts([one for one in found if one.variant == name]) for name in names},
        total=_counts(found),
        kinds=_KINDS,
        word_marks={word: mark for word, (mark, _) in MARKS.items()},
        guidelines=len({(one.guideline, one.operation, one.options) for one in found}),
        implementations=names,
        comparison=comparison,
        context=context,
        styles=styles,
        network=network,
        drawing=drawing,
        data=html.embedded(data),
        plotly=Markup(get_plotlyjs()) if lateness else "",  # four megabytes for the only figure of the page
    )


def _counts(found: Sequence[Finding]) -> dict[Word, int]:
    """Checks by outcome, in the order in which they are shown."""
    counts = Counter(check.word for one in found for check in one.checks)
    return {word: counts[word] for word in _KINDS}


def _maps(found: Sequence[Finding], mends: Mapping[Finding, Mend]) -> list[_Map]:
    several = labels.varied((one.options, one.placement) for one in found)
    sizes = tuple(sorted({check.size_bytes for one in found for check in one.checks}))
    maps = []
    for name, ranks in dict.fromkeys((one.variant, one.ranks) for one in found):
        own = [one for one in found if (one.variant, one.ranks) == (name, ranks)]
        rows = tuple((one.label(several), _row(one, sizes)) for one in own)
        violations = tuple(
            _Violation(one.label(several), violation(one.worst), mends.get(one, Mend(())))
            for one in own
            if one.word == "violated"
        )
        maps.append(_Map(name, ranks, sizes, rows, violations))
    return maps


def _row(finding: Finding, sizes: Sequence[int]) -> tuple[_Cell, ...]:
    checks = {one.size_bytes: one for one in finding.checks}
    return tuple(_cell(checks[size]) if size in checks else _Cell() for size in sizes)


def _cell(check: Check) -> _Cell:
    tip = "\n".join(
        (
            f"{check.operation}, {format_size(check.size_bytes)}: {time_words(check.operation_seconds)}",
            f"{check.other}: {time_words(check.other_seconds)}",
            f"{check.word}: {format_ratio(check.ratio)} × the time {interval(check)}",
            f"p = {check.p_value:.2g}, {check.launches} launches",
        )
    )
    return _Cell(
        check.word, _KINDS[check.word], MARKS[check.word][0], format_ratio(check.ratio), interval(check),
        colour_depth(check.ratio), tip,
    )  # fmt: skip
