"""A quantity with an interval decides a statement only where the whole interval does."""

from __future__ import annotations

import math

import pytest

from rankwise.studies.ranges import Range, at_least, at_most, between, every, over_launches

KNOWN = Range(10.0, 9.0, 11.0, 6)


def test_a_bound_outside_the_interval_decides() -> None:
    assert [at_least(KNOWN, bound) for bound in (8, 9, 10, 11, 12)] == [
        "holds", "holds", "undecided", "undecided", "no longer",
    ]  # fmt: skip
    assert [at_most(KNOWN, bound) for bound in (8, 9, 10, 11, 12)] == [
        "no longer", "undecided", "undecided", "holds", "holds",
    ]  # fmt: skip
    assert between(KNOWN, 8, 12) == "holds"
    assert between(KNOWN, 10, 12) == "undecided"
    assert between(KNOWN, 12, 14) == "no longer"


@pytest.mark.parametrize("unknown", [Range(10.0, 9.0, 11.0, 2), over_launches([]), Range(1.0, math.nan, 2.0, 6)])
def test_what_is_not_known_decides_nothing(unknown: Range) -> None:
    assert at_least(unknown, 0.0) == at_most(unknown, 100.0) == "undecided"


def test_what_never_happened_is_later_than_any_bound() -> None:
    never = Range(math.inf, math.inf, math.inf, 6)
    assert at_most(never, 1e9) == "no longer"
    assert at_least(never, 1e9) == "holds"


def test_all_must_hold_and_one_refutes() -> None:
    assert every([]) == "undecided"
    assert every(["holds", "holds"]) == "holds"
    assert every(["holds", "undecided"]) == "undecided"
    assert every(["undecided", "no longer", "holds"]) == "no longer"


def test_differences_and_ratios_take_the_ends_at_their_worst() -> None:
    other = Range(4.0, 3.0, 5.0, 4)
    assert KNOWN - other == Range(6.0, 4.0, 8.0, 4)
    assert KNOWN / other == Range(2.5, 9 / 5, 11 / 3, 4)
    assert other.inverted(60.0) == Range(15.0, 12.0, 20.0, 4)
    assert other.scaled(2.0) == Range(8.0, 6.0, 10.0, 4)


def test_the_interval_over_launches_is_that_of_the_median() -> None:
    found = over_launches([3.0, 1.0, 2.0])
    assert found == Range(2.0, 1.0, 3.0, 3)
    many = over_launches([float(value) for value in range(20)])
    assert many.low > 0.0
    assert many.high < 19.0
