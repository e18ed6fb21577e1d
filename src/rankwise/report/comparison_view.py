"""The answer of a comparison in the terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape
from rich.console import RenderableType
from rich.text import Text

from rankwise.analysis.compare.sentences import headline, wrong_data_sentences
from rankwise.core.records import Notice
from rankwise.core.results import Comparison
from rankwise.report import tables
from rankwise.report.beside_native import beside_native_table, shown
from rankwise.report.explanations import explanation_table

_MOST_ROWS = 12
"""Of the short answer's table: it fits a terminal of 25 lines."""


def short_comparison(comparison: Comparison, run_id: int) -> Iterator[RenderableType]:
    """Yield the answer in at most 25 lines: one sentence, the summary, and what the long one has more."""
    for sentence in wrong_data_sentences(comparison):
        yield Text(sentence, "bold red")
    yield Text(headline(comparison))
    if comparison.summary:
        yield ""
        yield tables.summary_table(comparison, _MOST_ROWS)
    yield ""
    yield more_text(comparison, run_id)


def more_text(comparison: Comparison, run_id: int) -> Text:
    """Return what the short answer leaves out: failures and warnings by their kinds, and the way to see them."""
    failed = sum(failure.kind != "unsupported" for failure in comparison.failures)
    kinds = list(dict.fromkeys(notice.kind for notice in comparison.notices))
    parts = [f"{failed} {'cell' if failed == 1 else 'cells'} failed"] if failed else []
    if kinds:
        parts.append(
            f"{len(comparison.notices)} warning{'s' * (len(comparison.notices) > 1)} ({', '.join(kinds)})"
        )
    text = Text.assemble(("; ".join(parts), "yellow"), "\n" if parts else "")
    return text.append(f"every cell, warning and remedy: rankwise report {run_id} --long")


def comparison_parts(comparison: Comparison, sentences: Sequence[str]) -> Iterator[RenderableType]:
    """Yield everything: the summary, what is said, the tables behind that, then what stands against them."""
    yield tables.summary_table(comparison)
    yield ""
    for sentence in sentences:
        yield Text(f"• {sentence}")
    overheads = (tables.overhead_table,) if comparison.overheads else ()
    explanations = (explanation_table,) if comparison.explanations else ()
    schedules = (beside_native_table,) if shown(comparison) else ()
    for table in (
        tables.comparison_table,
        *explanations,
        *schedules,
        *overheads,
        tables.switch_point_table,
        tables.failure_table,
    ):
        yield ""
        yield table(comparison)
    for notice in comparison.notices:
        yield ""
        yield notice_text(notice)


def notice_text(notice: Notice) -> Text:
    """Return a warning and its remedy for the terminal."""
    text = Text.assemble((f"warning ({notice.kind}): ", "yellow"), notice.message)
    if notice.remedy:
        text.append_text(Text.assemble("\n", ("remedy: ", "green"), notice.remedy))
    return text


def comparison_html(comparison: Comparison, sentences: Sequence[str]) -> str:
    """Return the sentences and the summary as HTML for a notebook."""
    said = Markup("").join(Markup("<li>{}</li>").format(sentence) for sentence in sentences)
    rows = Markup("").join(
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.2f} [{:.2f}, {:.2f}]</td></tr>").format(
            row.implementation, row.category, row.size_class, row.ratio, row.ratio_low, row.ratio_high
        )
        for row in comparison.summary
    )
    return Markup(
        "<ul>{}</ul><table><thead><tr><th>MPI</th><th>category</th><th>sizes</th>"
        "<th>time over that of {}</th></tr></thead><tbody>{}</tbody></table>"
    ).format(said, escape(comparison.baseline), rows)
