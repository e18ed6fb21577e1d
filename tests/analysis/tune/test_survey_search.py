"""Of many settings the one that gains most is found in two rounds, if any gains much."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analysis.tune.simulated import IMPLEMENTATION, Simulated, setting
from rankwise.analysis.tune.survey_search import SurveySearch
from rankwise.analysis.tune.threshold_search import ThresholdSearch
from rankwise.core.records import Cell
from rankwise.core.tuning import Knob, Setting, Tuning

FAR = Cell(IMPLEMENTATION, "pingpong", 0, 2, testbed="lab", placement="across-sites")
CELLS = tuple(replace(FAR, size_bytes=size) for size in (65536, 4 << 20))
VALUES = ("transport=other", "tcp-connections=2", "tcp-connections=4", "eager-threshold=33554432")
CANDIDATES = {one: Tuning((Setting(*one.split("=")),)) for one in VALUES}


def survey() -> SurveySearch:
    return SurveySearch("survey", CANDIDATES, CELLS)


def law(threshold: float = 1.0, transport: float = 1.0, large: float = 1.0) -> Callable[[Tuning, Cell], float]:
    """What they do to a time: the transport to small messages and to large ones."""

    def seconds(tuning: Tuning, cell: Cell) -> float:
        factor = threshold if setting(tuning, "eager-threshold") else 1.0
        if setting(tuning, "transport"):
            factor = large if cell.size_bytes > 1 << 20 else transport
        return (0.1 + cell.size_bytes * 2e-8) * factor

    return seconds


@pytest.mark.parametrize("spread", [0.01, 0.1])
def test_what_gains_most_is_proposed_after_a_launch_of_each_and_one_more_of_what_gains(spread: float) -> None:
    for seed in range(5):
        one, machine = survey(), Simulated(law(0.4, 0.6, 0.6), np.random.default_rng(seed), spread)
        assert setting(machine.answer(one), "eager-threshold") == "33554432"
        assert machine.rounds == 2
        if spread == 0.01:
            assert len(machine.launched) == len(VALUES) + 1 + 3
        assert one.reasons()[0].words.startswith("eager-threshold=33554432: 0.")


def test_where_nothing_gains_much_one_round_is_enough_and_nothing_is_proposed() -> None:
    machine = Simulated(law(0.9), np.random.default_rng(1), 0.01)
    assert machine.answer(survey()) == Tuning()
    assert machine.rounds == 1 and len(machine.launched) == len(VALUES) + 1


def test_what_is_much_slower_at_other_sizes_is_not_proposed() -> None:
    machine = Simulated(law(transport=0.3, large=2.0), np.random.default_rng(1), 0.01)
    assert machine.answer(survey()) == Tuning()


def test_a_candidate_that_fails_is_left_out_and_the_others_go_on() -> None:
    machine = Simulated(
        law(0.5, 0.2, 0.2), np.random.default_rng(2),
        hangs=lambda tuning, _: "exit code 139" if setting(tuning, "transport") else "",
    )  # fmt: skip
    assert setting(machine.answer(survey()), "eager-threshold") == "33554432"


def test_luck_in_one_round_proposes_nothing() -> None:
    kept = [Simulated(law(), np.random.default_rng(seed), 0.1).answer(survey()) for seed in range(20)]
    assert sum(one == Tuning() for one in kept) >= 18


def test_of_a_threshold_the_highest_that_memory_allows_is_surveyed() -> None:
    knob = Knob("eager-threshold", ("limit",), "environment", least=64, most=1 << 30)
    for memory, peers, value in ((1 << 30, 3, "67108864"), (48 << 20, 3, "16777216"), (64, 4, "")):
        search = ThresholdSearch(knob, [FAR], (65536, 4 << 20), eager_memory_bytes=memory, peers=peers)
        assert [setting(one, "eager-threshold") for one in search.ends().values()] == ([value] if value else [])
