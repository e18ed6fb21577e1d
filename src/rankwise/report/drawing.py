"""The picture of a testbed: its sites, their nodes, and the links between them with what was asked and measured.

SVG text that takes its colours from the page around it, and from the reader's theme where it stands alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations

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

_MOST_STEPS = 25
_Frame = tuple[float, float, float, float]
"""Left, top, width, height."""

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
    """Return the testbed as an SVG element; with `paths`, each link also says what was measured on it.

    `alone`: a file of its own, which follows the theme of whoever opens it.
    """
    all_joins = joins(topology, paths)
    boxes = _uncovered(topology, all_joins)
    width, height = _extent(boxes.values())
    lines = [_line(boxes[join.one], boxes[join.other]) for join in all_joins]
    labels = [_words(boxes, join) for join in all_joins]
    summary = "; ".join(
        f"{join.one} to {join.other}: {', '.join((*join.asked, *join.measured))}" for join in all_joins
    )
    title = f"Testbed {topology.name}: {', '.join(topology.sites)}"
    theme = ' style="color-scheme:light dark"' if alone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}"{theme}>'
        f"<title>{escape(title)}</title><desc>{escape(summary)}</desc>{_STYLE}"
        f"{''.join(lines)}{''.join(map(_drawn, boxes.values()))}{''.join(labels)}</svg>"
    )


def _uncovered(topology: Topology, all_joins: Sequence[Join]) -> dict[str, _Box]:
    """The sites as close to one another as boxes and plates do not cover one another."""
    for step in range(_MOST_STEPS):
        boxes = _placed(topology, all_joins, 1 + 0.1 * step)
        plates = [_plate(boxes, join) for join in all_joins if join.asked or join.measured]
        frames = [*map(_frame, boxes.values()), *plates]
        if not any(_cover(frame, other) for frame, other in combinations(frames, 2)):
            break
    return boxes


def _placed(topology: Topology, all_joins: Sequence[Join], spread: float) -> dict[str, _Box]:
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
            across, down = spread * (_BOX_WIDTH + gap) * 0.8, spread * (tallest + 190) * 0.75
            centres[site] = (across * math.cos(angle), down * math.sin(angle))
    left = min(x for x, _ in centres.values()) - _BOX_WIDTH / 2 - _MARGIN
    top = min(y - heights[site] / 2 for site, (_, y) in centres.items()) - _MARGIN
    return {
        site: _Box(x - left, y - top, heights[site], site_title(topology, site), tuple(texts[site]))
        for site, (x, y) in centres.items()
    }


def _extent(boxes: Iterable[_Box]) -> tuple[float, float]:
    all_boxes = list(boxes)
    right = max(box.x for box in all_boxes) + _BOX_WIDTH / 2 + _MARGIN
    return right, max(box.y + box.height / 2 for box in all_boxes) + _MARGIN


def _line(box: _Box, other: _Box) -> str:
    return f'<line class="rw-l" x1="{box.x:.1f}" y1="{box.y:.1f}" x2="{other.x:.1f}" y2="{other.y:.1f}"/>'


def _frame(box: _Box) -> _Frame:
    return box.x - _BOX_WIDTH / 2, box.y - box.height / 2, _BOX_WIDTH, box.height


def _cover(frame: _Frame, other: _Frame) -> bool:
    (x, y, width, height), (other_x, other_y, other_width, other_height) = frame, other
    across = x < other_x + other_width and other_x < x + width
    return across and y < other_y + other_height and other_y < y + height


def _rectangle(frame: _Frame, radius: int) -> str:
    x, y, width, height = frame
    return f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius}"'


def _drawn(box: _Box) -> str:
    left, top, _, _ = _frame(box)
    frame = _rectangle(_frame(box), 8)
    parts = [f'<rect class="rw-g" {frame}/><rect class="rw-s" {frame}/>']
    for number, text in enumerate([box.title, *box.lines], start=1):
        style = "rw-t rw-b" if number == 1 else "rw-t rw-m"
        y = top + _PADDING + number * _LINE_HEIGHT - 4
        parts.append(f'<text class="{style}" x="{left + _PADDING:.1f}" y="{y:.1f}">{escape(text)}</text>')
    return "".join(parts)


def _plate_width(join: Join) -> float:
    return max(map(len, (*join.asked, *join.measured)), default=0) * _WORD_WIDTH + _PADDING


def _plate_height(join: Join) -> float:
    return len((*join.asked, *join.measured)) * _LINE_HEIGHT + 6


def _plate_centre(boxes: Mapping[str, _Box], join: Join) -> tuple[float, float]:
    """The middle of the line; of one across the circle a third from the end that comes first clockwise.

    Lines cross in the middle; this way no two plates come to the same place.
    """
    order = list(boxes)
    steps = (order.index(join.other) - order.index(join.one)) % len(order)
    clockwise = steps <= len(order) - steps
    near, far = (join.one, join.other) if clockwise else (join.other, join.one)
    share = 0.5 if steps in (1, len(order) - 1) else 0.34
    box, other = boxes[near], boxes[far]
    return box.x + share * (other.x - box.x), box.y + share * (other.y - box.y)


def _plate(boxes: Mapping[str, _Box], join: Join) -> _Frame:
    x, y = _plate_centre(boxes, join)
    width, height = _plate_width(join), _plate_height(join)
    return x - width / 2, y - height / 2, width, height


def _words(boxes: Mapping[str, _Box], join: Join) -> str:
    """The figures of a link, on a plate on its line."""
    texts = [*join.asked, *join.measured]
    if not texts:
        return ""
    left, top, width, _ = _plate(boxes, join)
    frame = _rectangle(_plate(boxes, join), 5)
    x = left + width / 2
    parts = [f'<rect class="rw-g" {frame}/>']
    for number, text in enumerate(texts, start=1):
        style = "rw-t" if number <= len(join.asked) else "rw-t rw-m"
        line_y = top + number * _LINE_HEIGHT - 2
        parts.append(
            f'<text class="{style}" text-anchor="middle" x="{x:.1f}" y="{line_y:.1f}">{escape(text)}</text>'
        )
    return "".join(parts)
