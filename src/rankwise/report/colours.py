"""One look per implementation, the same in every figure: colour, dash and marker.

Colours start from Okabe & Ito, "Color Universal Design" (2008), darkened on white and lightened on black until
they keep a contrast of 3:1; dash and marker tell the lines apart without any colour, as in a greyscale print.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# (on light, on dark)
_COLOURS = (
    ("#0072b2", "#4fa8ec"),
    ("#d05500", "#ff8a47"),
    ("#00805f", "#2fc79a"),
    ("#b0458c", "#ea8fc8"),
    ("#93700a", "#e6bd45"),
    ("#3f4650", "#cfd6de"),
    ("#1b8fb8", "#7fdcff"),
    ("#7d4a2d", "#d0a17c"),
)
# (dash, marker) in Plotly's words
_STROKES = (
    ("solid", "circle"),
    ("6px,3px", "square"),
    ("solid", "diamond"),
    ("9px,3px,2px,3px", "triangle-up"),
    ("12px,4px", "x"),
    ("3px,2px", "cross"),
    ("solid", "triangle-down"),
)
BAND_OPACITY = 0.16

# What figures are drawn with besides: each light colour and what it becomes in the dark.
INK = "#18202b"
MUTED = "#5b6675"
GRID = "#e6e9ee"
AXIS = "#b9c0ca"
REFERENCE = "#868e99"
PAPER = "#ffffff"
_DARK = {
    INK: "#e9edf2",
    MUTED: "#a3adba",
    GRID: "#2a323d",
    AXIS: "#4a5564",
    REFERENCE: "#8d97a5",
    PAPER: "#161c24",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How one implementation is drawn. `slot` counts from 0; colours are `#rrggbb`."""

    slot: int
    light: str
    dark: str
    dash: str
    marker: str

    @property
    def band(self) -> str:
        """Return the fill of its intervals on light paper."""
        return _translucent(self.light)


GREY = Style(-1, REFERENCE, _DARK[REFERENCE], "dash", "circle")
"""Of what is no implementation: raw TCP."""


def styles_for(implementations: Iterable[str]) -> dict[str, Style]:
    """Return the style of each implementation: decided by the set of ids, not by their order.

    Seven strokes against eight colours: the pair repeats only after 56 implementations.
    """
    styles = {}
    for slot, name in enumerate(sorted(set(implementations))):
        light, dark = _COLOURS[slot % len(_COLOURS)]
        dash, marker = _STROKES[slot % len(_STROKES)]
        styles[name] = Style(slot, light, dark, dash, marker)
    return styles


def dark_colours(styles: Iterable[Style]) -> dict[str, str]:
    """Return the dark form of every colour of a light figure; the page applies it to a figure as a whole."""
    table = dict(_DARK)
    for style in (GREY, *styles):
        table[style.light] = style.dark
        table[style.band] = _translucent(style.dark)
    return table


def _translucent(colour: str) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{BAND_OPACITY})"
