"""Each implementation keeps its colour and stroke, whichever others stand beside it."""

from __future__ import annotations

import random

import pytest

from rankwise.report.colours import PAPER, dark_colours, styles_for
from report.samples import IMPLEMENTATIONS


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2.1."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_order_of_the_implementations_does_not_change_their_looks() -> None:
    shuffled = list(IMPLEMENTATIONS)
    random.Random(3).shuffle(shuffled)
    assert styles_for(shuffled) == styles_for(IMPLEMENTATIONS)


def test_every_implementation_is_told_apart_without_colour() -> None:
    styles = styles_for(IMPLEMENTATIONS)
    assert len({style.marker for style in styles.values()}) == len(IMPLEMENTATIONS)


def test_looks_repeat_only_after_all_pairs_are_used() -> None:
    looks = {(style.light, style.marker) for style in styles_for(f"mpi-{n:03}" for n in range(56)).values()}
    assert len(looks) == 56


@pytest.mark.parametrize("slot", range(8))
def test_lines_stand_out_on_both_papers(slot: int) -> None:
    style = list(styles_for(f"mpi-{n}" for n in range(8)).values())[slot]
    dark_paper = dark_colours([style])[PAPER]
    assert contrast(style.light, PAPER) >= 3
    assert contrast(style.dark, dark_paper) >= 3


def test_bands_follow_their_line_into_the_dark() -> None:
    (style,) = styles_for(["mpi-1"]).values()
    red, green, blue = (int(style.dark[start : start + 2], 16) for start in (1, 3, 5))
    assert dark_colours([style])[style.band].startswith(f"rgba({red},{green},{blue},")
