"""Numbers stand in sentences and tables with units that fit them."""

from __future__ import annotations

import math

from rankwise.studies import wording
from rankwise.studies.ranges import Range


def test_units() -> None:
    assert wording.microseconds(5812e-6) == "5812 µs"
    assert wording.added_microseconds(-1.44e-6) == "−1.4 µs"
    assert wording.added_microseconds(21e-6) == "+21 µs"
    assert wording.megabits(939.6e6) == "940 Mbit/s"
    assert wording.megabits(8.26e6) == "8.3 Mbit/s"
    assert wording.megabytes(56.94e6) == "56.9 MB/s"
    assert wording.milliseconds(0.912e-3) == "0.91 ms"
    assert wording.spell_seconds(0.352) == "0.35 s"
    assert wording.spell_seconds(math.inf) == "never"
    sizes = [wording.size(value) for value in (700, 8192, 100_500, 1 << 20)]
    assert sizes == ["700 B", "8 KiB", "98 KiB", "1 MiB"]


def test_an_interval_drops_a_unit_that_all_share() -> None:
    assert wording.with_interval(Range(46e-6, 45e-6, 47e-6, 6), wording.microseconds) == "46 µs [45, 47]"
    wide = Range(900 << 10, 800 << 10, 2 << 20, 6)
    assert wording.with_interval(wide, wording.size) == "900 KiB [800 KiB, 2 MiB]"
    assert wording.with_interval(Range(1e-6, 1e-6, 1e-6, 1), wording.microseconds) == "1.0 µs [one launch]"
    assert wording.with_interval(Range(math.nan, math.nan, math.nan, 0), wording.microseconds) == "–"


def test_sentences_name_who_is_meant() -> None:
    texts = {"a": "a (1)", "b": "b (2)", "c": "c (9)"}
    said = wording.by_verdict({"a": "holds", "b": "holds", "c": "no longer"}, texts)
    assert said == "True of a (1) and b (2); not true of c (9)."
    assert wording.by_verdict({}, {}) == "Not measured."
