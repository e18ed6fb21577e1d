"""Verdicts and decisions are put into words without rounding sizes or losing rules."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.core.results import Gain
from rankwise.core.tuning import Choice, Decision, Rule, Setting
from rankwise.profiles.profile_file import FILE, profile_text, read
from rankwise.profiles.texts import readme
from rankwise.profiles.words import (
    decision_words,
    gain,
    gain_of_part,
    gain_words,
    stretches,
    value_words,
)
from support.profiles import VERDICTS, part, profile, verdict


def test_a_gain_is_a_geometric_mean() -> None:
    found = gain([verdict(1, "faster", 0.5), verdict(2, "slower", 2.0), verdict(3, "undecided", 1.0)])
    assert (found.cells, found.faster, found.slower, found.equivalent) == (3, 1, 1, 0)
    assert found.ratio == pytest.approx(1.0)
    assert gain_words(found) == "1 of 3 cells faster, 1 slower; time × 1 in the mean"
    assert math.isnan(gain([]).ratio)


def test_a_weighted_gain_is_the_same_number_wherever_it_is_told(tmp_path: Path) -> None:
    """On the screen, in README.md and in profile.toml; not the mean over cells that all weigh the same."""
    weighted = replace(part(), gain=Gain(0.25, 0.2, 0.3, 4, weighted=True))
    said = gain_of_part(weighted)
    assert "time × 0.25 in the mean (0.2 to 0.3), weighted by what the application does" in said
    assert said in readme(profile(weighted), tmp_path)
    (tmp_path / FILE).write_text(profile_text(profile(weighted), tmp_path))
    (again,) = read(tmp_path).profile.parts
    assert again.gain == weighted.gain
    assert gain_of_part(replace(weighted, gain=None)) == gain_words(gain(VERDICTS))


def test_what_is_probably_slower_is_told() -> None:
    probably = verdict(2, "probably slower", 1.1)
    assert gain_words(gain([verdict(1, "undecided", 1.0)])).startswith("0 of 1 cells faster, none slower;")
    assert gain_words(gain([probably])).startswith("0 of 1 cells faster, 1 probably slower;")
    both = gain([verdict(1, "slower", 1.2), probably])
    assert gain_words(both).startswith("0 of 2 cells faster, 1 slower and 1 probably slower;")


def test_what_is_probably_faster_is_told() -> None:
    probably = verdict(2, "probably faster", 0.9)
    assert gain_words(gain([probably])).startswith("1 of 1 cells probably faster, none slower;")
    both = gain([verdict(1, "faster", 0.8), probably])
    assert gain_words(both).startswith("1 of 2 cells faster and 1 probably, none slower;")


def test_neighbours_of_one_verdict_are_one_row() -> None:
    found = stretches([*reversed(VERDICTS), verdict(8, "faster", 0.9, "allreduce")])
    assert [(one.benchmark, one.low_bytes, one.high_bytes, one.verdict) for one in found] == [
        ("allreduce", 8, 8, "faster"), ("bcast", 1024, 4096, "equivalent"), ("bcast", 65536, 1048576, "faster"),
    ]  # fmt: skip
    assert (found[2].least_ratio, found[2].greatest_ratio) == (0.5, 0.64)


def test_rules_in_words() -> None:
    rules = (Rule(1024, Choice()), Rule(1500, Choice("ring")), Rule(None, Choice("chain", 4096)))
    assert decision_words(Decision("bcast", 4, rules)) == (
        ("up to 1 KiB", "as by default"), ("above 1 KiB up to 1500 B", "ring"),
        ("above 1500 B", "chain, segments of 4 KiB"),
    )  # fmt: skip
    assert decision_words(Decision("bcast", 4, (Rule(None, Choice("ring")),))) == (("any size", "ring"),)
    below = (Rule((1 << 20) - 1, Choice()), Rule(None, Choice("ring")))
    assert [sizes for sizes, _ in decision_words(Decision("bcast", 4, below))] == ["below 1 MiB", "from 1 MiB"]
    between = (Rule(1023, Choice()), *below)
    assert decision_words(Decision("bcast", 4, between))[1][0] == "from 1 KiB to below 1 MiB"
    single = (Rule(1023, Choice()), Rule(1024, Choice("ring")), Rule(None, Choice()))
    assert decision_words(Decision("bcast", 4, single))[1][0] == "at 1 KiB"


def test_only_bytes_get_a_unit() -> None:
    assert value_words(Setting("eager-threshold", "65536")) == "64 KiB"
    assert value_words(Setting("socket-buffers", "auto")) == "auto"
    assert value_words(Setting("links", "1024")) == "1024"
