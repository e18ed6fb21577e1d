"""The report: one HTML file with everything in it, which opens without a network."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from rankwise.analysis.compare.tcp_sentences import ratio_words
from rankwise.core.results import Comparison
from rankwise.core.units import format_duration, format_rate, format_size
from rankwise.report import network, views
from rankwise.report.canvas import time_words
from rankwise.report.colours import Style, dark_colours, styles_for
from rankwise.report.context import ReportContext
from rankwise.report.distributions import ecdf_frame, ecdf_nanoseconds
from rankwise.report.drawing import topology_svg
from rankwise.report.figures import group_figures
from rankwise.report.groups import CATEGORIES, MARKS, GroupedComparison
from rankwise.report.overheads import overhead_figures, overhead_tables
from rankwise.report.streams import stream_figure, stream_groups
from rankwise.report.writing import write_page


def write_report(path: Path, comparison: Comparison, context: ReportContext) -> None:
    """Write the page to `path`, which holds the old file or the whole new one, never a part.

    Raises HostError if the folder cannot be written or the disk is full.
    """
    write_page(path, render_report(comparison, context))


def render_report(comparison: Comparison, context: ReportContext) -> str:
    """The whole page as text."""
    grouped = GroupedComparison(comparison)
    names = [*comparison.implementations, *(curve.implementation for curve in comparison.curves)]
    styles = styles_for(names)
    data = page_data(grouped, styles) | {"choices": choices(grouped, context, styles)}
    template = environment().get_template("report.html.j2")
    return template.render(
        comparison=comparison,
        context=context,
        grouped=grouped,
        styles=styles,
        implementations=list(dict.fromkeys(names)),
        categories=CATEGORIES,
        views=views,
        network=network,
        drawing=_drawing(context),
        overheads=overhead_tables(grouped),
        streams=stream_groups(comparison),
        data=embedded(data),
        plotly=Markup(get_plotlyjs()),
    )


def page_data(grouped: GroupedComparison, styles: dict[str, Style]) -> dict[str, Any]:
    """What the page's scripts draw from: figures as JSON, the distributions' quantiles, the dark colours."""
    groups = []
    for group in grouped.groups:
        groups.append(
            {
                "label": group.label,
                "category": group.category,
                "figures": group_figures(grouped, group, styles),
                "quantiles": ecdf_nanoseconds(grouped, group),
            }
        )
    return {"groups": groups, "ecdf": ecdf_frame(styles), "dark": dark_colours(styles.values())}


def choices(
    grouped: GroupedComparison, context: ReportContext, styles: dict[str, Style]
) -> dict[str, list[dict[str, Any]]]:
    """Figures of the further sections: section -> what can be chosen in it -> {label, figures by name}."""
    emulator = context.network.emulator if context.network else ()
    return {
        "overhead": [
            {"label": table.group.label, "figures": overhead_figures(table, styles)}
            for table in overhead_tables(grouped)
        ],
        "stream": [
            {"label": group.label, "figures": {"bandwidth": stream_figure(group, styles)}}
            for group in stream_groups(grouped.comparison)
        ],
        "emulator": [{"label": "", "figures": {"lateness": network.emulator_figure(emulator)}}]
        if emulator
        else [],
    }


def _drawing(context: ReportContext) -> Markup:
    """The testbed's picture; '' without a testbed."""
    if context.topology is None:
        return Markup("")
    return Markup(topology_svg(context.topology, context.paths))


def embedded(data: dict[str, Any]) -> Markup:
    """JSON that may stand in a script element: no `<` in it, so that nothing can close the element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    escapes = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    return Markup("".join(escapes.get(c, c) for c in text))


def environment() -> Environment:
    """Jinja2 with our templates, filters and marks."""
    made = Environment(
        loader=PackageLoader("rankwise.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        size=format_size,
        duration=format_duration,
        ratio=views.format_ratio,
        interval=views.interval,
        signed_time=views.signed_time,
        overhead_ratio=ratio_words,
        overhead_interval=views.overhead_interval,
        difference_interval=views.difference_interval,
        rate=format_rate,
        moment_reached=views.moment_reached,
        time=time_words,
        percent=_percent,
        moment=_moment,
    )
    made.globals["marks"] = MARKS
    return made


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%-d %B %Y, %H:%M UTC")


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
