"""Sentences about raw TCP give the least and the greatest overhead, and claim nothing that was not shown."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rankwise.analysis.compare.tcp_sentences import ratio_words, signed_time, tcp_sentences
from rankwise.core.records import Cell
from rankwise.core.results import Comparison, Curve, Overhead, Reached, StreamCurve

NOTHING = Comparison("", (), 0.05, 0.05, (), (), (), (), (), (), ())
A = Overhead("a", 8, 2, 1e-5, 1.5e-5, 1.5, 1.4, 1.6, 5e-6, 4e-6, 6e-6, 10, True)
B = replace(A, implementation="b", ratio=2.0, ratio_low=1.9, ratio_high=2.2, difference_seconds=1e-5)
C = replace(A, implementation="c", ratio=1.01, ratio_low=0.9, ratio_high=1.1)
LARGE = [replace(one, size_bytes=1 << 20) for one in (A, B, C)]


def said(*overheads: Overhead) -> list[str]:
    return tcp_sentences(replace(NOTHING, overheads=overheads))


def test_overheads_from_the_least_to_the_most_and_what_is_not_shown() -> None:
    (sentence,) = said(B, A, C, *LARGE)
    assert sentence == (
        "MPI's ping-pong over that of raw TCP (2 ranks): at 8 B +5 us (+4 us to +6 us) with a to +10 us (+4 us to "
        "+6 us) with b, no difference shown with c; at 1 MiB 1.50 (1.40-1.60) times its time with a to 2.00 "
        "(1.90-2.20) times its time with b, no difference shown with c."
    )


def test_one_size_one_implementation() -> None:
    assert said(A) == [
        "MPI's ping-pong over that of raw TCP (2 ranks): at 8 B +5 us (+4 us to +6 us) with a; "
        "at 8 B 1.50 (1.40-1.60) times its time with a."
    ]


def test_nothing_is_claimed_from_three_launches() -> None:
    assert said(replace(A, launches=3)) == []


def test_placements_have_sentences_of_their_own() -> None:
    far = replace(A, placement="cyclic")
    curves = tuple(Curve("a", "pingpong", "point-to-point", 2, (), placement=word) for word in ("block", "cyclic"))
    found = tcp_sentences(replace(NOTHING, overheads=(A, far), curves=curves))
    assert ["placement block" in found[0], "placement cyclic" in found[1]] == [True, True]


def stream(name: str, seconds: float, category: str = "point-to-point") -> StreamCurve:
    row = np.array([1.0])
    reached = (Reached(500e6, 0.0, seconds, 1.0, 2 * seconds, 9), Reached(810e6, 0.9, 3.0, 2.0, 4.0, 10))
    return StreamCurve(Cell(name, "stream", 1 << 20, 2), category, row, row, row, row, 10, reached)  # type: ignore[arg-type]


def test_streams_by_the_time_they_take() -> None:
    found = tcp_sentences(
        replace(NOTHING, streams=(stream("a", math.inf), stream("b", 4.0), stream("a", 2.0, "baseline")))
    )
    assert found == [
        "Streams of 1 MiB messages (2 ranks) come to 500 Mbit/s: after 2 s (1 s to 4 s) with raw TCP; "
        "after 4 s (1 s to 8 s) with b; never with a.",
        "Streams of 1 MiB messages (2 ranks) come to 90% of their maximum: after 3 s (2 s to 4 s) with a "
        "(900 Mbit/s); after 3 s (2 s to 4 s) with b (900 Mbit/s); after 3 s (2 s to 4 s) with raw TCP "
        "(900 Mbit/s).",
    ]


@pytest.mark.parametrize(
    ("ratio", "text"), [(1.0042, "1.004"), (0.95, "0.950"), (1.3, "1.30"), (0.5, "0.50"), (31.22, "31.2")]
)
def test_ratios_about_one_have_a_decimal_more(ratio: float, text: str) -> None:
    assert ratio_words(ratio) == text


def test_signs() -> None:
    assert [signed_time(value) for value in (5.1e-6, -3e-9, 0.0)] == ["+5.1 us", "-3 ns", "+0 ns"]
