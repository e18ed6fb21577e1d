"""A search for algorithms finds the best at every size in few launches, and never chooses what loses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from analysis.tune.simulated import IMPLEMENTATION, Simulated
from rankwise.analysis.tune.algorithm_search import AlgorithmSearch
from rankwise.analysis.tune.race import SearchCriteria
from rankwise.analysis.tunings import choice_at
from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Decision, Rule, Tuning

BCAST = Cell(IMPLEMENTATION, "bcast", 0, 6, testbed="lab")
SIZES = (64, 4096, 262_144, 4 << 20)
NAMES = ("binomial", "linear", "ring", "chain")
LAW = {
    "": (20e-6, 3.0e-10),
    "binomial": (10e-6, 5.0e-10),
    "ring": (50e-6, 2.0e-10),
    "linear": (40e-6, 6.0e-10),
    "chain": (60e-6, 2.6e-10),
}
"""Latency in seconds, seconds a byte: binomial wins up to 50 kB, then the default, ring from 300 kB on."""


def law(tuning: Tuning, cell: Cell) -> float:
    latency, per_byte = LAW[choice_at(tuning, cell).algorithm]
    return latency + per_byte * cell.size_bytes


def all_alike(_tuning: Tuning, cell: Cell) -> float:
    return 20e-6 + 3e-10 * cell.size_bytes


def bcast_search(
    sizes: tuple[int, ...] = SIZES, names: tuple[str, ...] = NAMES, **more: object
) -> AlgorithmSearch:
    return AlgorithmSearch(BCAST, [Choice(name) for name in names], sizes, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("spread", "drift"), [(0.01, 0.0), (0.04, 0.0), (0.02, 0.03)])
def test_the_true_winner_is_found_at_every_size(spread: float, drift: float) -> None:
    right, asked, launches, exhaustive = 0, 0, 0, 0
    for seed in range(3):
        search, machine = bcast_search(), Simulated(law, np.random.default_rng(seed), spread, drift)
        found = machine.answer(search)
        launches += len(machine.launched)
        exhaustive += search.exhaustive_launches()
        for size in (64, 1024, 16384, 1 << 20, 4 << 20):
            cell = replace(BCAST, size_bytes=size)
            best = min(law(Tuning(decisions=(Decision("bcast", 6, (Rule(None, Choice(n)),)),)), cell) for n in LAW)
            asked += 1
            right += law(found, cell) <= 1.05 * best
    assert right >= 0.9 * asked
    assert launches < 0.75 * exhaustive


def test_never_a_loss_even_between_the_sizes_that_were_measured() -> None:
    found = Simulated(law, np.random.default_rng(0)).answer(bcast_search())
    for size in (0, 1, *(3 * 2**power for power in range(24)), 1 << 30):
        cell = replace(BCAST, size_bytes=size)
        assert law(found, cell) <= 1.05 * law(Tuning(), cell), size


def test_the_default_is_kept_when_all_are_alike() -> None:
    mistakes = 0
    for seed in range(20):
        search = bcast_search((64,), criteria=SearchCriteria(max_rounds=8))
        mistakes += Simulated(all_alike, np.random.default_rng(seed), 0.08).answer(search) != Tuning()
    assert mistakes == 0  # delta stands between chance and a mistake


def test_just_short_of_the_margin_is_not_chosen() -> None:
    """The hardest case: every candidate is 4 % faster, and 5 % is asked for."""

    def nearly(tuning: Tuning, cell: Cell) -> float:
        return all_alike(tuning, cell) * (0.96 if tuning.decisions else 1.0)

    mistakes = 0
    for seed in range(20):
        search = bcast_search((64,), criteria=SearchCriteria(max_rounds=8))
        mistakes += Simulated(nearly, np.random.default_rng(seed), 0.05).answer(search) != Tuning()
    assert mistakes <= 2  # 5 %, and a little for looking again


def test_who_is_behind_is_eliminated_soon_and_who_may_win_not_before_the_least_number_of_rounds() -> None:
    times = {"linear": 2.2, "ring": 1.1, "chain": 0.85, "binomial": 0.7}  # of the default's
    search = bcast_search((64,), tuple(times), criteria=SearchCriteria(min_rounds=6))

    def behind(tuning: Tuning, cell: Cell) -> float:
        return all_alike(tuning, cell) * times.get(choice_at(tuning, BCAST).algorithm, 1.0)

    machine = Simulated(behind, np.random.default_rng(1), 0.001)
    asked = []
    while trials := search.ask():
        asked.append({choice_at(trial.tuning, BCAST).algorithm for trial in trials} - {""})
        search.tell(machine.round(trials))
    assert asked[0] == set(times)
    assert "binomial" in asked[-1] and "linear" not in asked[-1]
    assert len(asked) == 6, "even if nobody else is left before"


def test_sizes_come_in_between_where_winners_differ_only() -> None:
    search = bcast_search()
    machine = Simulated(law, np.random.default_rng(2))
    machine.answer(search)
    sizes = {cell.size_bytes for trial in machine.launched for cell in trial.cells}
    assert sizes > set(SIZES)
    assert not {size for size in sizes if 64 < size < 4096}
    assert all(math.log2(size).is_integer() for size in sizes)


def test_a_launch_of_the_default_stands_beside_every_trial() -> None:
    search = bcast_search(placements=("block", "cyclic"))
    machine = Simulated(law, np.random.default_rng(2))
    trials = search.ask()
    assert [(trial.name, trial.cells[0].placement) for trial in trials[:2]] == [
        ("default", "block"), ("bcast@6=binomial", "block"),
    ]  # fmt: skip
    while trials:
        assert all(len({cell.placement for cell in trial.cells}) == 1 for trial in trials)
        for cell, choice in [(cell, choice_at(trial.tuning, cell)) for trial in trials for cell in trial.cells]:
            assert cell.label == (f"bcast@6={choice.algorithm}" if choice != Choice() else "default")
        for placement in ("block", "cyclic"):
            default, *others = (trial for trial in trials if trial.cells[0].placement == placement)
            covered = {cell.size_bytes for cell in default.cells}
            assert default.name == "default" and default.tuning == Tuning()
            assert {cell.size_bytes for trial in others for cell in trial.cells} == covered
        search.tell(machine.round(trials))
        trials = search.ask()


def test_a_hang_and_a_refusal_leave_the_rest_of_the_search_alone() -> None:
    search = bcast_search()
    found = Simulated(
        law, np.random.default_rng(3),
        hangs=lambda tuning, cell: "no end within 120 s" if choice_at(tuning, cell).algorithm == "ring" else "",
        fails=lambda tuning, cell: "not for 6 ranks" if choice_at(tuning, cell).algorithm == "linear" else "",
    ).answer(search)  # fmt: skip
    assert choice_at(found, replace(BCAST, size_bytes=64)).algorithm == "binomial"
    assert choice_at(found, replace(BCAST, size_bytes=4 << 20)).algorithm == "chain"  # the next best
    words = search.reasons()[0].words
    assert "ring unusable: no end within 120 s" in words
    assert "linear unusable: not for 6 ranks" in words


def test_one_hang_at_one_size_is_enough_to_be_out_everywhere() -> None:
    search = bcast_search()
    found = Simulated(
        law, np.random.default_rng(3),
        hangs=lambda tuning, cell: "hung" if tuning.decisions and cell.size_bytes == 4 << 20 else "",
    ).answer(search)  # fmt: skip
    assert found == Tuning()


def test_a_default_that_fails_as_often_condemns_nobody() -> None:
    flaky = iter([True, *[False] * 10_000])
    search = bcast_search((64,), ("binomial",))
    found = Simulated(law, np.random.default_rng(3), hangs=lambda *_: "hung" if next(flaky) else "").answer(search)
    assert choice_at(found, replace(BCAST, size_bytes=64)).algorithm == "binomial"
    search = bcast_search((64,), ("binomial",))
    first = {"default", "bcast@6=binomial"}

    def both_once(tuning: Tuning, cell: Cell) -> str:
        if cell.label in first:
            first.remove(cell.label)
            return "hung"
        return ""

    found = Simulated(law, np.random.default_rng(3), hangs=both_once).answer(search)
    assert choice_at(found, replace(BCAST, size_bytes=64)).algorithm == "binomial"


def test_an_implementation_that_cannot_do_the_operation_ends_the_search() -> None:
    search = bcast_search()
    machine = Simulated(law, np.random.default_rng(3), fails=lambda *_: "unsupported")
    assert machine.answer(search) == Tuning()
    assert machine.rounds == 1


def test_slower_in_one_placement_bars_a_choice_that_is_fast_on_the_whole() -> None:
    def two_faced(tuning: Tuning, cell: Cell) -> float:
        worse = 1.3 if cell.placement == "cyclic" else 0.3
        return all_alike(tuning, cell) * (worse if tuning.decisions else 1.0)

    search = bcast_search((64, 65536), ("binomial",), placements=("block", "cyclic"))
    machine = Simulated(two_faced, np.random.default_rng(4))
    assert machine.answer(search) == Tuning()
    assert machine.rounds <= 4


def test_the_budget_of_rounds_is_kept() -> None:
    search = bcast_search((64, 4096, 262_144), rounds=2)
    machine = Simulated(law, np.random.default_rng(5), 0.05)
    assert machine.answer(search) == Tuning()  # two rounds make nothing certain
    assert machine.rounds == 2
    assert search.ask() == ()


def test_the_same_launches_lead_to_the_same_questions() -> None:
    first, again = bcast_search(), bcast_search()
    machine = Simulated(law, np.random.default_rng(6))
    while trials := first.ask():
        assert again.ask() == trials
        launches = machine.round(trials)
        first.tell(launches)
        again.tell(launches[::-1])
    assert again.ask() == ()
    assert again.best() == first.best()


def test_launches_of_others_do_not_count() -> None:
    alone, among = bcast_search((64,)), bcast_search((64,))
    machine = Simulated(law, np.random.default_rng(7))
    other = AlgorithmSearch(replace(BCAST, benchmark="reduce"), [Choice("ring")], (64,))
    while trials := alone.ask():
        among.ask()
        launches = machine.round(trials)
        alone.tell(launches)
        among.tell([*machine.round(other.ask()), *launches])
    assert among.best() == alone.best()


def test_segments_that_cut_nothing_are_not_tried() -> None:
    search = AlgorithmSearch(BCAST, [Choice("pipeline"), Choice("pipeline", 8192)], (64, 65536))
    sizes = {trial.name: [cell.size_bytes for cell in trial.cells] for trial in search.ask()}
    assert sizes == {"default": [64, 65536], "bcast@6=pipeline+pipeline/8192": [64, 65536]}


def test_words_of_a_result() -> None:
    search = bcast_search()
    Simulated(law, np.random.default_rng(8), 0.005).answer(search)
    (reason,) = search.reasons()
    assert reason.subject == search.subject == "bcast at 6 ranks"
    assert reason.words.startswith("up to 16 KiB binomial (0.")
    assert " up to 8 MiB ring (0.7" in reason.words
    assert reason.words.count("above 8 MiB the default") == 1


def test_one_launch_holds_several_algorithms_at_sizes_of_their_own() -> None:
    search = bcast_search()
    machine = Simulated(law, np.random.default_rng(2))
    rounds = []
    while trials := search.ask():
        rounds.append((len(trials), {cell.label for trial in trials for cell in trial.cells}))
        search.tell(machine.round(trials))
    assert rounds[0] == (5, {"default", *(f"bcast@6={name}" for name in NAMES)})
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
    for scope, times in (("by size", 1), ("complete", 3)):
        asked = [trial.name for trial in bcast_search((64,), scope=scope).ask()]
        assert asked.count("default") == times, "and the root of five trials more"
        assert len(asked) == len(NAMES) + times


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


def test_at_other_ranks_only_what_was_not_far_behind_is_tried() -> None:
    first = bcast_search((64, 65536))
    later = AlgorithmSearch(
        replace(BCAST, ranks=8), [Choice(name) for name in (*NAMES, "unheard")], (64, 65536), earlier=(first,)
    )
    machine = Simulated(law, np.random.default_rng(0))
    assert "bcast@8=unheard" in {trial.name for trial in later.ask()}, "nothing is known yet"
    assert "time was over" in later.reasons()[0].words
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
        assert len(machine.launched) <= 70


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
