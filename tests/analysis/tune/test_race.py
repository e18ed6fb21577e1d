"""A race selects only what is shown to be better than the default, whatever the noise; the rest leaves soon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from rankwise.analysis.tune.observations import Observations
from rankwise.analysis.tune.race import AGAIN, Race, SearchCriteria
from rankwise.core.records import DEFAULT, Cell, CellFailure, Launch, Segment, Series

CELL = Cell("mpi-1", "bcast", 64, 4, label="")
LARGE = replace(CELL, size_bytes=1 << 20)
NAMES = tuple("abcdefgh")
SEARCHES = 40


class Rounds:
    """Launches that measure every candidate beside the default: `factors` of its time, by label and size."""

    def __init__(self, factors: Mapping[tuple[str, int], float], seed: int = 0, spread: float = 0.02) -> None:
        self.factors, self.spread = factors, spread
        self.generator = np.random.default_rng(seed)
        self.modes = (0.0, 0.0)
        """Logarithm of the slower of two modes: of launches, and of the visits to each cell."""

    def launch(self, cells: list[Cell], failing: str = "") -> Launch:
        of_launch, of_visit = self.modes
        common = of_launch * self.generator.integers(2)
        series, failures = [], []
        for cell in cells:
            if cell.label == failing:
                failures.append(CellFailure(cell, "hung"))
                continue
            noise = self.spread * self.generator.standard_normal() + of_visit * self.generator.integers(2)
            seconds = 1e-3 * self.factors.get((cell.label, cell.size_bytes), 1.0) * np.exp(common + noise)
            series.append(Series(cell, "time", np.array([seconds])))
        return Launch((Segment("mpi-1", 4),), "finished", "", (), 0.0, 1.0, tuple(series), tuple(failures))

    def run(self, race: Race, observed: Observations, failing: str = "") -> Race:
        while names := race.next_round():
            cells = [replace(cell, label=name) for name in names for cell in race.cells]
            observed.add(cells, [self.launch(cells, failing)])
            race.update()
        return race


def race_of(rounds: Rounds, cells: tuple[Cell, ...] = (CELL,), failing: str = "", **more: object) -> Race:
    observed = Observations()
    return rounds.run(Race(cells, NAMES, observed, SearchCriteria(), **more), observed, failing)  # type: ignore[arg-type]


@pytest.mark.parametrize("modes", [(0.0, 0.0), (np.log(4), 0.0), (0.0, np.log(4)), (np.log(4), np.log(1.2))])
def test_among_names_of_one_thing_nothing_is_selected(modes: tuple[float, float]) -> None:
    wrong = 0
    for seed in range(SEARCHES):
        rounds = Rounds({}, seed)
        rounds.modes = modes
        wrong += race_of(rounds).selected() != DEFAULT
    assert wrong <= 5, "5 % of 40, and what chance adds to that once in a hundred times"


@pytest.mark.parametrize("modes", [(0.0, 0.0), (np.log(4), 0.0)])
def test_a_fifth_is_found_in_a_handful_of_launches_even_if_launches_differ_fourfold(
    modes: tuple[float, float],
) -> None:
    taken = []
    for seed in range(SEARCHES):
        rounds = Rounds({("c", 64): 0.8}, seed)
        rounds.modes = modes
        race = race_of(rounds)
        assert race.selected() == "c"
        taken.append(race.rounds)
    assert np.mean(taken) < 5


def test_what_the_default_seems_to_differ_from_itself_by_is_no_gain() -> None:
    alone, biased = {("a", 64): 0.85}, {("a", 64): 0.85, (AGAIN, 64): 1.2}
    found = [[race_of(Rounds(one, seed), checks=True) for seed in range(20)] for one in (alone, biased)]
    assert sum(race.selected() == "a" for race in found[0]) >= 18
    assert not [race for race in found[1] if race.selected() != DEFAULT]
    assert all(abs(race.bias() - np.log(1.2)) < 0.05 for race in found[1])
    assert race_of(Rounds({("a", 64): 0.6, (AGAIN, 64): 1.2}), checks=True).selected() == "a", (
        "what gains more is found"
    )


def test_where_the_default_is_the_same_it_hardly_ever_seems_otherwise() -> None:
    assert race_of(Rounds({(AGAIN, 64): 1.2})).bias() == 0.0, "it has one arm only"
    assert np.mean([race_of(Rounds({}, seed), checks=True).bias() > 0 for seed in range(20)]) <= 0.1


def test_who_is_slower_leaves_and_says_so() -> None:
    race = race_of(Rounds({("a", 64): 2.0, ("b", 64): 0.7}))
    assert race.selected() == "b"
    assert race.left["a"].startswith(("1.9", "2.0")) and race.left["a"].endswith(" times the default's time")


def test_what_gains_much_is_selected_after_two_rounds_and_the_far_behind_leave_after_one() -> None:
    factors = {("a", 64): 0.3, ("b", 64): 0.9, **{(name, 64): 0.5 for name in NAMES[2:]}}
    observed, rounds = Observations(), Rounds(factors)
    race = Race((CELL,), NAMES, observed, SearchCriteria(), checks=True)
    cells = [replace(CELL, label=name) for name in race.next_round()]
    observed.add(cells, [rounds.launch(cells)])
    race.update()
    assert race.remaining == ["a", *NAMES[2:]] and race.selected() == DEFAULT
    assert race.seconds_lost() == pytest.approx(0.7e-3, rel=0.2)
    assert rounds.run(race, observed).selected() == "a" and race.rounds == 2
    assert race.left["c"].startswith("0.5")


def test_where_whole_launches_are_compared_nobody_is_far_behind_so_soon() -> None:
    observed, rounds = Observations(), Rounds({("a", 64): 0.3})
    race = Race((CELL,), NAMES, observed, SearchCriteria())
    cells = [replace(CELL, label=name) for name in race.next_round()]
    observed.add(cells, [rounds.launch(cells)])
    race.update()
    assert race.remaining == [*NAMES], "launches may have modes up to four times apart"


def test_slower_in_one_cell_is_excluded_however_good_elsewhere() -> None:
    race = race_of(Rounds({("a", 64): 1.3, ("a", 1 << 20): 0.3}), (CELL, LARGE))
    assert race.selected() == DEFAULT and race.log_ratio("a") == np.inf
    assert race.left["a"].startswith("slower than the default in bcast of 64 B")


def test_a_gain_in_one_of_many_cells_is_enough() -> None:
    cells = (*(replace(CELL, size_bytes=size) for size in range(1, 12)), LARGE)
    assert race_of(Rounds({("a", 1 << 20): 0.6}), cells).selected() == "a"


def test_calls_say_which_cell_matters() -> None:
    rounds = Rounds({("a", 64): 0.6, ("b", 1 << 20): 0.8})
    assert race_of(rounds, (CELL, LARGE), calls=(1.0, 9.0)).selected() == "b"
    assert race_of(rounds, (CELL, LARGE), calls=(9.0, 1.0)).selected() == "a"


def test_whoever_fails_is_out_at_once_and_a_default_that_fails_ends_it() -> None:
    race = race_of(Rounds({("a", 64): 0.5}), failing="a")
    assert race.left["a"] == "unusable: hung" and race.selected() == DEFAULT
    race = race_of(Rounds({}), failing=DEFAULT)
    assert race.cells == () and race.selected() == DEFAULT and race.rounds == 3


def test_in_the_defaults_place_what_is_as_good_stays() -> None:
    race = race_of(Rounds({(name, 64): 1.3 for name in NAMES[1:]}), replaces_default=True)
    assert race.remaining == ["a"] and abs(race.log_ratio("a")) < 0.05


def test_late_candidates_join_and_former_ones_do_not_come_back() -> None:
    observed = Observations()
    race = Race((CELL,), ("a", "b"), observed, SearchCriteria())
    rounds = Rounds({("late", 64): 0.5, ("a", 64): 3.0})
    for _ in range(3):
        cells = [replace(CELL, label=name) for name in race.next_round()]
        observed.add(cells, [rounds.launch(cells)])
        race.update()
    assert "a" in race.left
    race.finished = False
    race.add(["late", "a"])
    assert "a" not in race.remaining
    assert rounds.run(race, observed).selected() == "late"
