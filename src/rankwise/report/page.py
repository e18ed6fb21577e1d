"""A page: a title, an introduction and a list of sections, in one HTML file that opens without a network."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from rankwise.analysis.compare.tcp_sentences import ratio_words
from rankwise.core.escaping import escaped
from rankwise.core.units import format_duration, format_rate, format_size
from rankwise.report import views
from rankwise.report.canvas import Figure, time_words
from rankwise.report.colours import Style, dark_colours
from rankwise.report.writing import write_page


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice is one of the sets of figures between which the reader of a section can change."""

    label: str
    figures: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class Section:
    """A section is a part of a page: a template, what fills it, and what its figures are drawn from.

    `anchor` is its id on the page, `link` the word for it in the navigation ('': none). `package` has the template
    in its folder `templates/sections`.
    """

    anchor: str
    values: Mapping[str, Any]
    link: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    """For the page's scripts; no two sections of a page use the same key."""
    choices: Mapping[str, Sequence[Choice]] = field(default_factory=dict)
    """The figures by name: a template shows one as `data-figure="NAME/FIGURE"`."""
    package: str = "rankwise.report"


@dataclass(frozen=True, slots=True)
class Outcome:
    """An outcome is a word that a check can end with: its sign, and the style sheet's name for its colour."""

    word: str
    mark: str
    kind: str


@dataclass(frozen=True, slots=True)
class Tally:
    """A tally counts outcomes for each implementation; the page draws it as bars."""

    title: str
    outcomes: tuple[Outcome, ...]
    counts: Mapping[str, Mapping[Any, int]]


@dataclass(frozen=True, slots=True)
class Introduction:
    """An introduction gives the answer: the most important sentence first, then figures of the run as a whole."""

    origin: str
    """A line above the title: when and where it was measured."""
    sentences: tuple[str, ...]
    tiles: tuple[tuple[str, str], ...] = ()
    """Names and values."""
    tally: Tally | None = None
    warnings: int = 0
    """Warnings to which the introduction refers; 0 where they follow it at once."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page is a title, an introduction and a list of sections."""

    title: str
    introduction: Introduction
    sections: tuple[Section, ...]
    implementations: tuple[str, ...]
    """Those that the reader can show and hide."""
    styles: Mapping[str, Style]
    generated_at: float
    """Seconds since the epoch."""
    baseline: str = ""


def present(*sections: Section | None) -> tuple[Section, ...]:
    """Return the sections that have something to show."""
    return tuple(section for section in sections if section is not None)


def write(path: Path, page: Page) -> None:
    """Write the page to `path`, which then holds the old file or the whole new one, never a part.

    Raises HostError if the folder cannot be written or the disk is full.
    """
    write_page(path, render(page))


def render(page: Page) -> str:
    """Return the whole page as text; like a terminal it gets no control characters of others."""
    shared = {"styles": page.styles, "baseline": page.baseline}
    parts = [
        (section.anchor, Markup(_template(section).render(**shared, **section.values)))
        for section in page.sections
    ]
    drawn = any(section.data or section.choices for section in page.sections)
    text = _environment("rankwise.report").get_template("page.html.j2").render(
        **shared, page=page, introduction=page.introduction, parts=parts, data=embedded(data_of(page)),
        plotly=Markup(get_plotlyjs()) if drawn else "",  # four megabytes
    )  # fmt: skip
    return escaped(text)


def data_of(page: Page) -> dict[str, Any]:
    """Return what the page's scripts draw from: figures of its sections, and the dark form of every colour."""
    choices = {
        name: [{"label": choice.label, "figures": dict(choice.figures)} for choice in offered]
        for section in page.sections
        for name, offered in section.choices.items()
    }
    own = {key: value for section in page.sections for key, value in section.data.items()}
    return {**own, "choices": choices, "dark": dark_colours(page.styles.values())}


def embedded(data: Mapping[str, Any]) -> Markup:
    """Return JSON that may stand in a script element: no `<` in it, so that nothing can close the element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    escapes = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
    return Markup("".join(escapes.get(c, c) for c in text))


def moment(seconds: float) -> str:
    """Return a time since the epoch as people write it: `3 May 2026, 14:05 UTC`."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%-d %B %Y, %H:%M UTC")


def implementations_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, each once, in their order."""
    return tuple(dict.fromkeys(names))


def _template(section: Section) -> Any:
    return _environment(section.package).get_template(f"sections/{section.anchor}.html.j2")


@cache
def _environment(package: str) -> Environment:
    """Jinja2 with the templates of the package and the filters and macros of this one."""
    loaders: list[BaseLoader] = [PackageLoader(name, "templates") for name in {package, "rankwise.report"}]
    made = Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
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
        moment=moment,
    )
    return made


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
