"""The picture of a testbed: its sites, their nodes, and the links between them with what was asked and measured.

SVG text that takes its colours from the page around it, and from the reader's theme where it stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rankwise.core.network import PathFigures, Topology
from rankwise.report.site_words import Join, joins, node_lines, site_title

_BOX_WIDTH = 200
_LINE_HEIGHT = 17
_PADDING = 12
_LEAST_GAP = 150
"""Between two sites; more if the words on their link need it."""

_PLATE_MARGIN = 20
_MARGIN = 10
_WORD_WIDTH = 7.0
"""Of a letter at 12 px, generously."""

_STYLE = (
    "<style>"
    ".rw-t{font:12px var(--sans,system-ui,sans-serif);fill:var(--ink,light-dark(#18202b,#e9edf2))}"
    ".rw-b{font-weight:600;font-size:13px}"
    ".rw-m{fill:var(--muted,light-dark(#5b6675,#a3adba))}"
    ".rw-g{fill:var(--paper,light-dark(#fff,#161c24));stroke:var(--hair,light-dark(#c4cad2,#3c4654))}"
    ".rw-s{fill:var(--soft,light-dark(#eef1f4,#1f2731));stroke:none}"
    ".rw-l{stroke:var(--accent,light-dark(#00609a,#6cb8f2));stroke-width:2}"
    "</style>"
)
"""Within a report its colours win, and its choice of light or dark."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A site on the paper: its centre and height, in pixels, and its lines of text."""

    x: float
    y: float
    height: float
    title: str
    lines: tuple[str, ...]


def topology_svg(topology: Topology, paths: Sequence[PathFigures] = (), *, alone: bool = False) -> str:
    """The testbed as an SVG element; with `paths`, each link also says what was measured on it.

    `alone`: a file of its own, which follows the theme of whoever opens it.
    """
    all_joins = joins(topology, paths)
    boxes = _placed(topology, all_joins)
    width, height = _extent(boxes.values())
    lines = [_line(boxes[join.one], boxes[join.other]) for join in all_joins]
    words = [_words(boxes, join) for join in all_joins]
    summary = "; ".join(
        f"{join.one} to {join.other}: {', '.join((*join.asked, *join.measured))}" for join in all_joins
    )
    title = f"Testbed {topology.name}: {', '.join(topology.sites)}"
    theme = ' style="color-scheme:light dark"' if alone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}"{theme}>'
        f"<title>{escape(title)}</title><desc>{escape(summary)}</desc>{_STYLE}"
        f"{''.join(lines)}{''.join(map(_drawn, boxes.values()))}{''.join(words)}</svg>"
    )


def _placed(topology: Topology, all_joins: Sequence[Join]) -> dict[str, _Box]:
    """Two sites side by side, more of them on a circle from the top on; the drawing begins at 0, 0."""
    texts = {site: node_lines(topology, site) for site in topology.sites}
    heights = {site: 2 * _PADDING + _LINE_HEIGHT * (1 + len(lines)) for site, lines in texts.items()}
    count = len(topology.sites)
    tallest = max(heights.values())
    gap = max([_LEAST_GAP, *(_plate_width(join) + 2 * _PLATE_MARGIN for join in all_joins)])
    centres: dict[str, tuple[float, float]] = {}
    for index, site in enumerate(topology.sites):
        if count <= 2:
            centres[site] = (index * (_BOX_WIDTH + gap), 0.0)
        else:
            angle = 2 * math.pi * index / count - math.pi / 2
            spread = max(1.0, count / 5)
            across, down = spread * (_BOX_WIDTH + gap) * 0.8, spread * (tallest + 190) * 0.75
            centres[site] = (across * math.cos(angle), down * math.sin(angle))
    left = min(x for x, _ in centres.values()) - _BOX_WIDTH / 2 - _MARGIN
    top = min(y - heights[site] / 2 for site, (_, y) in centres.items()) - _MARGIN
    return {
        site: _Box(x - left, y - top, heights[site], site_title(topology, site), tuple(texts[site]))
        for site, (x, y) in centres.items()
    }


def _extent(boxes: Iterable[_Box]) -> tuple[float, float]:
    found = list(boxes)
    right = max(box.x for box in found) + _BOX_WIDTH / 2 + _MARGIN
    return right, max(box.y + box.height / 2 for box in found) + _MARGIN


def _line(one: _Box, other: _Box) -> str:
    return f'<line class="rw-l" x1="{one.x:.1f}" y1="{one.y:.1f}" x2="{other.x:.1f}" y2="{other.y:.1f}"/>'


def _drawn(box: _Box) -> str:
    left, top = box.x - _BOX_WIDTH / 2, box.y - box.height / 2
    frame = f'x="{left:.1f}" y="{top:.1f}" width="{_BOX_WIDTH}" height="{box.height:.1f}" rx="8"'
    parts = [f'<rect class="rw-g" {frame}/><rect class="rw-s" {frame}/>']
    for number, text in enumerate([box.title, *box.lines], start=1):
        style = "rw-t rw-b" if number == 1 else "rw-t rw-m"
        y = top + _PADDING + number * _LINE_HEIGHT - 4
        parts.append(f'<text class="{style}" x="{left + _PADDING:.1f}" y="{y:.1f}">{escape(text)}</text>')
    return "".join(parts)


def _plate_width(join: Join) -> float:
    return max(map(len, (*join.asked, *join.measured)), default=0) * _WORD_WIDTH + _PADDING


def _plate_centre(boxes: Mapping[str, _Box], join: Join) -> tuple[float, float]:
    """The middle of the line; of one across the circle a third from the end that comes first clockwise.

    Lines cross in the middle; this way no two plates come to the same place.
    """
    order = list(boxes)
    steps = (order.index(join.other) - order.index(join.one)) % len(order)
    clockwise = steps <= len(order) - steps
    near, far = (join.one, join.other) if clockwise else (join.other, join.one)
    share = 0.5 if steps in (1, len(order) - 1) else 0.36
    one, other = boxes[near], boxes[far]
    return one.x + share * (other.x - one.x), one.y + share * (other.y - one.y)


def _words(boxes: Mapping[str, _Box], join: Join) -> str:
    """The figures of a link, on a plate on its line."""
    x, y = _plate_centre(boxes, join)
    texts = [*join.asked, *join.measured]
    if not texts:
        return ""
    width, height = _plate_width(join), len(texts) * _LINE_HEIGHT + 6
    frame = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height}" rx="5"'
    parts = [f'<rect class="rw-g" {frame}/>']
    for number, text in enumerate(texts, start=1):
        style = "rw-t" if number <= len(join.asked) else "rw-t rw-m"
        line_y = y - height / 2 + number * _LINE_HEIGHT - 2
        parts.append(
            f'<text class="{style}" text-anchor="middle" x="{x:.1f}" y="{line_y:.1f}">{escape(text)}</text>'
        )
    return "".join(parts)
