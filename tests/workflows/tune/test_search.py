"""A stage has its share of the time, its validation a part of that from the beginning, and all ends in time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.workflows.tune.budget import LEAST_VALIDATION_SHARE, MOST_VALIDATION_SHARE
from rankwise.workflows.tune.search import StageSearches, turn

SECONDS = st.floats(0.1, 1e4)


def stage(seconds: float, validation: float, factor: float = 1.0) -> StageSearches:
    return StageSearches("some", seconds, validation, {}, factor)


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=1, max_size=6), st.floats(0.0, 1e4), st.floats(1.0, 3.0))
def test_searches_and_validations_of_all_stages_end_in_time(
    needed: list[tuple[float, float]], seconds: float, factor: float
) -> None:
    stages, now = [stage(*one, factor) for one in needed], 50.0
    finish = now + seconds
    while stages:
        its = turn(stages, now, finish)
        mine = its.end - now
        assert now - 1e-6 <= its.search_end <= its.latest_search_end <= finish + 1e-6
        assert its.end <= finish + 1e-6
        of_validation = its.end - its.search_end
        assert LEAST_VALIDATION_SHARE * mine - 1e-6 <= of_validation <= MOST_VALIDATION_SHARE * mine + 1e-6
        stages, now = stages[1:], its.end


def test_a_validation_has_what_it_needs_before_the_search_begins() -> None:
    its = turn([stage(30.0, 20.0), stage(500.0, 500.0)], 0.0, 100.0)
    assert (its.search_end, its.end) == (30.0, 50.0), "the second stage needs too much, not the first"
    assert its.latest_search_end > its.search_end, "what could conclude nothing yet may go on"


def test_a_search_that_will_not_come_to_a_first_look_is_not_begun() -> None:
    for left, is_begun in ((350.0, True), (340.0, False)):  # two rounds of four, and three launches of five
        its = turn([stage(400.0, 250.0), stage(1.0, 1.0)], 50.0, 50.0 + left)
        assert (its.latest_search_end > 50.0) == is_begun
    many = replace(stage(400.0, 250.0), searches={"one": [[], []]})
    assert turn([many], 50.0, 390.0).latest_search_end > 50.0, "one of its questions may be answered"


@pytest.mark.parametrize(("needed", "least"), [((400.0, 0.0), 300.0), ((400.0, 500.0), 600.0)])
def test_less_than_the_fewest_rounds_and_a_first_look_are_of_no_use(
    needed: tuple[float, float], least: float
) -> None:
    assert stage(*needed).least_seconds == pytest.approx(least)
