"""Searches where an MPI asks for more: bundles, segments, tables without gaps, one choice for all sizes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from analysis.tune.bcast_searches import BCAST, NAMES, SIZES, all_alike, bcast_search, law
from analysis.tune.simulated import Simulated
from rankwise.analysis.tune.algorithm_search import AlgorithmSearch
from rankwise.analysis.tune.race import AGAIN, SearchCriteria
from rankwise.analysis.tunings import choice_at
from rankwise.core.records import DEFAULT, Cell
from rankwise.core.tuning import Choice, Rule, Tuning


def test_one_launch_holds_several_algorithms_at_sizes_of_their_own() -> None:
    search = bcast_search()
    machine = Simulated(law, np.random.default_rng(2))
    rounds = []
    while trials := search.ask():
        rounds.append((len(trials), {cell.label for trial in trials for cell in trial.cells}))
        search.tell(machine.round(trials))
    assert rounds[0] == (6, {DEFAULT, AGAIN, *(f"bcast@6={name}" for name in NAMES)})
    assert any(launches < len(choices) for launches, choices in rounds)


def test_other_segments_are_tried_of_what_is_not_behind_only() -> None:
    def pipelines(tuning: Tuning, cell: Cell) -> float:
        choice = choice_at(tuning, cell)
        factor = {"pipeline": {0: 1.5, 8192: 0.9, 65536: 0.7}[choice.segment_bytes], "chain": 1.4}
        return all_alike(tuning, cell) * factor.get(choice.algorithm, 1.0)

    forms = [Choice(name, segment) for name in ("pipeline", "chain") for segment in (0, 8192, 65536)]
    search = AlgorithmSearch(BCAST, forms, (128 << 10,))
    machine = Simulated(pipelines, np.random.default_rng(3))
    found = machine.answer(search)
    assert choice_at(found, replace(BCAST, size_bytes=128 << 10)) == Choice("pipeline", 65536)
    tried = {choice_at(trial.tuning, trial.cells[0]) for trial in machine.launched}
    assert {one for one in tried if one.algorithm == "chain"} == {Choice("chain", 8192)}
    assert {one for one in tried if one.algorithm == "pipeline"} == set(forms[:3])


def test_where_every_size_needs_a_choice_one_that_is_as_good_stands_in_for_the_default() -> None:
    def presets(tuning: Tuning, cell: Cell) -> float:
        small = cell.size_bytes < 1000
        factor = {"": 1.0, "same": 1.0 if small else 1.3, "best": 1.3 if small else 0.7, "bad": 3.0}
        return 1e-4 * factor[choice_at(tuning, cell).algorithm]

    names = ("bad", "best", "same")
    search = bcast_search((64, 65536), names, scope="complete")
    found = Simulated(presets, np.random.default_rng(0), 0.01).answer(search)
    (decision,) = found.decisions
    assert [rule.choice for rule in decision.rules] == [Choice("same"), Choice("best")]
    assert decision.rules[-1].up_to_bytes is None
    assert "the default" not in search.reasons()[0].words.partition(";")[0].replace("the default's", "")
    search = bcast_search((64, 65536), names[:2], scope="complete")
    assert Simulated(presets, np.random.default_rng(0), 0.01).answer(search) == Tuning()
    assert "every size needs a choice, and at 64 B" in search.reasons()[0].words


@pytest.mark.parametrize(("spread", "at_small_sizes"), [(0.1, 0.1), (0.03, 0.3)])
def test_where_every_size_needs_a_choice_noise_at_one_of_them_loses_no_gain_at_others(
    spread: float, at_small_sizes: float
) -> None:
    """What is as good as the default there remains for long enough to be judged."""
    sizes = (1024, 65536, 1 << 20)
    names = tuple(map(str, range(12)))
    factors = dict(zip(names, np.random.default_rng(5).uniform(0.95, 1.6, (12, 3)), strict=True))
    factors |= {"": np.ones(3), "3": np.array([1.0, 0.99, 1.0]), "8": np.array([0.8, 1.0, 0.56])}

    found, harm = 0, []
    for seed in range(12):
        luck = np.random.default_rng(100 + seed)

        def presets(tuning: Tuning, cell: Cell, luck: np.random.Generator | None = luck) -> float:
            factor = np.interp(
                math.log2(cell.size_bytes), np.log2(sizes), factors[choice_at(tuning, cell).algorithm]
            )
            more = max(at_small_sizes - spread, 0.0) if cell.size_bytes <= 65536 and luck else 0.0
            return 1e-2 * float(factor * np.exp(more * luck.standard_normal() if luck else 0.0))

        tuned = Simulated(presets, np.random.default_rng(seed), spread).answer(
            bcast_search(sizes, names, scope="complete")
        )
        found += tuned != Tuning()
        harm += [presets(tuned, replace(BCAST, size_bytes=size), None) / 1e-2 for size in sizes]
    assert found >= 10
    assert np.mean(harm) < 0.9


def test_the_default_is_measured_more_often_where_its_luck_could_leave_no_choice() -> None:
    for scope, times, again in (("by size", 1, 1), ("complete", 3, 0)):
        asked = [trial.name for trial in bcast_search((64,), scope=scope).ask()]
        assert asked.count("default") == times, "and the root of five trials more"
        assert asked.count(AGAIN) == again and len(asked) == len(NAMES) + times + again


def test_one_choice_for_all_sizes_is_slower_at_none() -> None:
    def tilted(tuning: Tuning, cell: Cell) -> float:
        small = cell.size_bytes < 1000
        factor = {"": 1.0, "tilted": 1.2 if small else 0.4, "even": 1.0 if small else 0.7}
        return (1e-4 + 1e-9 * cell.size_bytes) * factor[choice_at(tuning, cell).algorithm]

    search = bcast_search(SIZES, ("tilted", "even"), scope="one for all sizes")
    machine = Simulated(tilted, np.random.default_rng(0), 0.01)
    (decision,) = machine.answer(search).decisions
    assert decision.rules == (Rule(None, Choice("even")),)
    assert all(len(trial.tuning.decisions[0].rules) == 1 for trial in machine.launched if trial.tuning.decisions)
    assert search.reasons()[0].words.startswith("at every size even (0.")


def test_calls_weigh_the_sizes_for_which_one_choice_has_to_do() -> None:
    def either(tuning: Tuning, cell: Cell) -> float:
        small = cell.size_bytes < 1000
        factor = {"": 1.0, "for small": 0.5 if small else 1.0, "for large": 1.0 if small else 0.8}
        return 1e-4 * factor[choice_at(tuning, cell).algorithm]

    for calls, winner in (((9.0, 1.0), "for small"), ((1.0, 9.0), "for large")):
        search = bcast_search((64, 65536), ("for small", "for large"), scope="one for all sizes", calls=calls)
        found = Simulated(either, np.random.default_rng(1), 0.005).answer(search)
        assert choice_at(found, BCAST).algorithm == winner


def test_a_size_that_no_segments_cut_has_nothing_to_try() -> None:
    search = AlgorithmSearch(BCAST, [Choice("pipeline", 16384)], (64, 65536))
    found = Simulated(
        lambda tuning, cell: 1e-4 * (0.5 if choice_at(tuning, cell).algorithm else 1.0), np.random.default_rng(0)
    ).answer(search)
    assert choice_at(found, replace(BCAST, size_bytes=65536)).algorithm == "pipeline"
    assert not choice_at(found, replace(BCAST, size_bytes=64)).algorithm
    assert "pipeline" in search.reasons()[0].words


def test_where_nothing_was_near_the_default_nothing_is_tried_at_other_ranks() -> None:
    first = bcast_search((64, 65536))
    Simulated(
        lambda tuning, cell: 1e-4 * (5.0 if choice_at(tuning, cell).algorithm else 1.0), np.random.default_rng(0)
    ).answer(first)
    later = AlgorithmSearch(
        replace(BCAST, ranks=8), [Choice(name) for name in NAMES], (64, 65536), earlier=(first,)
    )
    assert not later.ask()
    assert later.reasons()[0].words == "left as it is: nothing was near the default at 6 ranks"


def test_at_other_ranks_only_what_was_not_far_behind_is_tried() -> None:
    first = bcast_search((64, 65536))
    later = AlgorithmSearch(
        replace(BCAST, ranks=8), [Choice(name) for name in (*NAMES, "unheard")], (64, 65536), earlier=(first,)
    )
    machine = Simulated(law, np.random.default_rng(0))
    assert "bcast@8=unheard" in {trial.name for trial in later.ask()}, "nothing is known yet"
    assert "out of time" in later.reasons()[0].words
    machine.answer(first)
    found = machine.answer(later)
    assert {cell.label for trial in machine.launched for cell in trial.cells if cell.ranks == 8} == {
        "default", "bcast@8=binomial",
    }  # fmt: skip
    assert choice_at(found, replace(BCAST, ranks=8, size_bytes=64)).algorithm == "binomial"
    own = later.exhaustive_launches()
    assert own % 6 == 0 and own >= 6 * SearchCriteria().min_rounds
    assert "1 choices that were not far behind at 6 ranks" in later.reasons()[0].words


def test_launches_are_few_and_the_default_stays_where_all_are_alike() -> None:
    """The budget of a search over a slow network rests on it; each alone took three times as many."""

    def quicker(tuning: Tuning, cell: Cell) -> float:
        factors = {f"{i}": 1 + i / 5 for i in range(9)} | {"quick": 0.7}
        return all_alike(tuning, cell) * factors.get(choice_at(tuning, cell).algorithm, 1.0)

    names = (*map(str, range(9)), "quick")
    for spread in (0.01, 0.06):
        machine = Simulated(quicker, np.random.default_rng(4), spread)
        found = machine.answer(bcast_search(names=names))
        assert {rule.choice.algorithm for rule in found.decisions[0].rules} == {"quick", ""}
        assert len(machine.launched) <= 35
    for seed in range(4):
        machine = Simulated(all_alike, np.random.default_rng(seed), 0.02)
        assert machine.answer(bcast_search(names=names)) == Tuning()
        assert len(machine.launched) <= 50


@pytest.mark.parametrize(("per_byte", "wins"), [(1.4e-10, True), (2.0e-10, None), (4e-10, False)])
def test_a_schedule_races_like_any_algorithm(per_byte: float, wins: bool | None) -> None:
    """It wins, is as good as the best of the others, which are tried before it, or loses."""

    def seconds(tuning: Tuning, cell: Cell) -> float:
        if choice_at(tuning, cell).algorithm == "schedule:lanes":
            return 80e-6 + per_byte * cell.size_bytes
        return law(tuning, cell)

    search = bcast_search(names=(*NAMES, "schedule:lanes"))
    found = Simulated(seconds, np.random.default_rng(1)).answer(search)
    chosen = [choice_at(found, replace(BCAST, size_bytes=size)).algorithm for size in (64, 4 << 20)]
    assert chosen[0] == "binomial"
    assert chosen[1] in {True: ("schedule:lanes",), None: ("ring", "schedule:lanes"), False: ("ring",)}[wins]
    if wins:
        assert "schedule:lanes" in search.reasons()[0].words
