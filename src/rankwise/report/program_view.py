"""The answer about a user's own program in the terminal and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from rankwise.analysis.programs import value_words
from rankwise.core.programs import ProgramAnswer, ProgramRow
from rankwise.core.results import Comparison
from rankwise.report.comparison_view import more_text, notice_text
from rankwise.report.groups import MARKS
from rankwise.report.views import ends, format_ratio


def short_program(
    comparison: Comparison, answer: ProgramAnswer, sentences: Sequence[str], run_id: int
) -> Iterator[RenderableType]:
    """Yield the answer: the first sentence, a table for each metric and number of ranks, what the long one has."""
    yield Text(sentences[0])
    yield from _metric_tables(comparison, answer)
    yield ""
    yield more_text(comparison, run_id)


def program_parts(
    comparison: Comparison, answer: ProgramAnswer, sentences: Sequence[str]
) -> Iterator[RenderableType]:
    """Yield everything: what is said, a table for each metric and number of ranks, what stands against them."""
    for sentence in sentences:
        yield Text(f"• {sentence}")
    yield from _metric_tables(comparison, answer)
    for notice in comparison.notices:
        yield ""
        yield notice_text(notice)


def _metric_tables(comparison: Comparison, answer: ProgramAnswer) -> Iterator[RenderableType]:
    for metric, ranks in dict.fromkeys((row.metric, row.ranks) for row in answer.rows):
        yield ""
        group = [row for row in answer.rows if (row.metric, row.ranks) == (metric, ranks)]
        which = "higher" if group[0].higher_is_better else "lower"
        yield Text(f"{metric}, {ranks} {'ranks' if ranks != 1 else 'rank'} ({which} is better)", "bold")
        yield _table(group, comparison.baseline)


def _table(group: Sequence[ProgramRow], baseline: str) -> Table:
    table = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bright_black")
    table.add_column("variant", overflow="fold")
    for title in ("median", "±", "over baseline", "launches"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for row in group:
        table.add_row(
            Text(row.variant), *(Text(text) for text in (value(row, row.median), half_width(row), over(row))),
            Text(f"{row.launches}"), Text(verdict(row, baseline)),
        )  # fmt: skip
    return table


def value(row: ProgramRow, number: float) -> str:
    """Return a value of the row's metric for people."""
    return value_words(row.metric, number) if math.isfinite(number) else "–"


def half_width(row: ProgramRow) -> str:
    """Return half of the median's interval as a share of it: `1.2%`; `–` of one launch."""
    return f"{(row.high - row.low) / 2 / row.median:.1%}" if row.launches > 1 else "–"


def interval(row: ProgramRow) -> str:
    """Return words such as `1.2 s – 1.3 s`; `–` of one launch or none."""
    return f"{value(row, row.low)} – {value(row, row.high)}" if row.launches > 1 else "–"


def over(row: ProgramRow) -> str:
    """Return words such as `0.82 [0.80, 0.84]`: the median over the baseline's; '' where nothing was compared."""
    if row.verdict is None:
        return ""
    return f"{format_ratio(row.ratio)} {ends(row.ratio_low, row.ratio_high, format_ratio)}".rstrip()


def verdict(row: ProgramRow, baseline: str) -> str:
    """Return the verdict with its mark, `baseline`, or how many launches failed."""
    failed = f"failed in {row.failed} of {row.launches + row.failed}" if row.failed else ""
    if row.verdict is not None:
        word = f"{MARKS.get(row.verdict, '')} {row.verdict}".strip()
    else:
        word = "baseline" if row.variant == baseline and row.launches else ""
    return ", ".join(filter(None, (word, failed)))


def program_html(answer: ProgramAnswer, baseline: str, sentences: Sequence[str]) -> str:
    """Return the sentences and the rows as HTML for a notebook."""
    said = Markup("").join(Markup("<li>{}</li>").format(sentence) for sentence in sentences)
    rows = Markup("").join(
        Markup("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>").format(
            row.metric, row.ranks, row.variant, value(row, row.median), over(row), verdict(row, baseline)
        )
        for row in answer.rows
    )
    return Markup(
        "<ul>{}</ul><table><thead><tr><th>metric</th><th>ranks</th><th>variant</th><th>median</th>"
        "<th>over {}</th><th>verdict</th></tr></thead><tbody>{}</tbody></table>"
    ).format(said, escape(baseline), rows)
