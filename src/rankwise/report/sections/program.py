"""A user's own program: every metric by variant in a table, and all its launches in a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.analysis.programs import value_words
from rankwise.core.programs import ProgramAnswer, ProgramRow
from rankwise.report import program_view
from rankwise.report.canvas import Figure, blank_figure, plain, short, trace
from rankwise.report.colours import MUTED, Style
from rankwise.report.page import Choice, Section


def program(answer: ProgramAnswer, styles: Mapping[str, Style]) -> Section:
    """Return the tables and figures, one of each for every metric and number of ranks."""
    groups = [
        (_label(metric, ranks), [row for row in answer.rows if (row.metric, row.ranks) == (metric, ranks)])
        for metric, ranks in dict.fromkeys((row.metric, row.ranks) for row in answer.rows)
    ]
    return Section(
        "program",
        {
            "groups": groups,
            "show": program_view,
            "program": answer.program,
            "failures": [row for _, rows in groups for row in rows if row.failed],
        },
        link="Program",
        choices={
            "program": [
                Choice(label, {"launches": launches_figure(answer, rows, styles)}) for label, rows in groups
            ]
        },
    )


def _label(metric: str, ranks: int) -> str:
    return f"{metric}, {ranks} {'ranks' if ranks != 1 else 'rank'}"


def launches_figure(answer: ProgramAnswer, rows: Sequence[ProgramRow], styles: Mapping[str, Style]) -> Figure:
    """Draw each launch's value in the order in which its variant was started: drift shows, and outliers."""
    figure = blank_figure()
    figure["layout"]["hovermode"] = "closest"
    figure["layout"]["xaxis"].update(
        title={"text": "Launch of the variant", "font": {"color": MUTED, "size": 13}}, rangemode="tozero"
    )
    figure["layout"]["yaxis"].update(rangemode="tozero", tickformat="~s")
    for row in rows:
        values = answer.values.get((row.metric, row.ranks, row.variant), ())
        figure["data"].append(
            trace(
                x=list(range(1, len(values) + 1)), y=[short(value) for value in values], mode="markers",
                marker={"color": styles[row.variant].light, "symbol": styles[row.variant].marker, "size": 8},
                name=plain(row.variant), text=[value_words(row.metric, value) for value in values],
                hovertemplate="%{text}", meta={"implementation": row.variant},
            )
        )  # fmt: skip
    return figure
