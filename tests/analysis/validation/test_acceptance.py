"""What is not shown to be no slower on fresh launches goes back to the default, and nothing else does."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from analysis.tune.simulated import IMPLEMENTATION, Simulated, setting
from rankwise.analysis.application import Application, Use
from rankwise.analysis.tune.search import Trial
from rankwise.analysis.tunings import choice_at
from rankwise.analysis.validation.acceptance import Acceptance, Validated, accept
from rankwise.analysis.validation.evidence import FIRST_LOOK, LOOKS
from rankwise.core.records import Benchmark, Category, Cell, CellFailure, Launch
from rankwise.core.tuning import Choice, Decision, Rule, Setting, Tuning

CATEGORIES: dict[str, Category] = {"pingpong": "point-to-point", "bcast": "collective", "reduce": "collective"}
BENCHMARKS = {name: Benchmark(name, category, "simulated") for name, category in CATEGORIES.items()}
SIZES = (48, 3000, 200_000)
RING, TREE, DEFAULT = Choice("ring"), Choice("tree"), Choice()
TUNING = Tuning(
    settings=(Setting("transport", "tcp"), Setting("eager-threshold", "65536")),
    decisions=(
        Decision("bcast", 4, (Rule(1024, TREE), Rule(65536, DEFAULT), Rule(1 << 20, RING), Rule(None, DEFAULT))),
    ),
    host_settings=(("net.ipv4.tcp_rmem", "4096 131072 4194304"),),
)  # fmt: skip
Law = Callable[[Tuning, Cell], float]
Fails = Callable[[Tuning, Cell], str]


def fresh(
    law: Law, seed: int = 0, rounds: int = 12, fails: Fails = lambda *_: "", tuning: Tuning = TUNING
) -> list[Launch]:
    machine = Simulated(law, np.random.default_rng(seed), 0.02, fails=fails)
    found = []
    for _ in range(rounds):
        trials = []
        for profile, loaded in (("default", Tuning()), ("wan", tuning)):
            for benchmark, ranks in (("bcast", 4), ("bcast", 6), ("pingpong", 2)):
                cells = [
                    Cell(IMPLEMENTATION, benchmark, size, ranks, label=profile, testbed="lab") for size in SIZES
                ]
                trials.append(Trial(profile, loaded, tuple(cells)))
        found += machine.round(tuple(trials))
    return found


CELLS = tuple(
    Cell(IMPLEMENTATION, benchmark, size, ranks, testbed="lab")
    for benchmark, ranks in (("bcast", 4), ("bcast", 6), ("pingpong", 2))
    for size in SIZES
)


def of(
    launches: list[Launch], tuning: Tuning = TUNING, *, cells: tuple[Cell, ...] = CELLS, is_over: bool = False,
    application: Application | None = None,
) -> Acceptance:  # fmt: skip
    wanted = Validated(IMPLEMENTATION, "wan", tuning, cells)
    return accept([launches], BENCHMARKS, wanted, is_over=is_over, application=application)


def judged(law: Law, tuning: Tuning = TUNING, *, is_over: bool = False, **more: object) -> Acceptance:
    return of(fresh(law, tuning=tuning, **more), tuning, is_over=is_over)  # type: ignore[arg-type]


def plain(cell: Cell) -> float:
    return 1e-5 + cell.size_bytes * 1e-9


def rule_law(effect: dict[str, float]) -> Law:
    return lambda tuning, cell: plain(cell) * effect.get(choice_at(tuning, cell).algorithm, 1.0)


def test_a_tuning_that_is_better_is_accepted_with_its_gain() -> None:
    found = judged(rule_law({"ring": 0.5, "tree": 0.6}))
    assert found.accepted and not found.doubt
    assert found.tuning == TUNING
    assert len(found.verdicts) == found.gain.cells == 9
    faster = {(one.benchmark, one.ranks, one.size_bytes) for one in found.verdicts if one.verdict == "faster"}
    assert faster == {("bcast", 4, 48), ("bcast", 4, 200_000)}
    assert found.gain.ratio == pytest.approx((0.5 * 0.6) ** (1 / 9), rel=0.02)
    assert found.gain.ratio_low < (0.5 * 0.6) ** (1 / 9) < found.gain.ratio_high < 1
    assert {one.baseline for one in found.verdicts} == {IMPLEMENTATION}
    assert {one.candidate for one in found.verdicts} == {f"{IMPLEMENTATION} + wan"}


def with_tails(launch: Launch) -> Launch:
    """Tuned is twice as fast in the median, and every tenth repetition five times as slow."""
    return replace(
        launch,
        series=tuple(
            replace(
                one,
                samples_seconds=np.repeat(
                    one.samples_seconds[:1] * np.array([0.5, 5.0] if one.cell.label == "wan" else [1.0, 1.0]),
                    [90, 10],
                ),
            )
            for one in launch.series
        ),
    )


def test_where_tails_matter_they_decide() -> None:
    launches = [with_tails(one) for one in fresh(lambda _, cell: plain(cell))]
    by_median = accept([launches], BENCHMARKS, Validated(IMPLEMENTATION, "wan", TUNING, CELLS))
    by_tails = accept([launches], BENCHMARKS, Validated(IMPLEMENTATION, "wan", TUNING, CELLS, 0.99))
    assert by_median.accepted and by_median.gain.ratio_high < 0.6
    assert by_tails.reverted and by_tails.gain.ratio_low > 4


def test_the_same_is_accepted_and_gains_nothing() -> None:
    accepted = [judged(rule_law({}), seed=seed, rounds=24) for seed in range(6)]
    assert sum(one.accepted for one in accepted) >= 5
    assert sum("do not confirm" in one.doubt for one in accepted) >= 5
    assert all(one.gain.ratio_low <= 1.02 and one.gain.ratio_high >= 0.98 for one in accepted)


def test_the_rule_that_made_a_cell_slower_goes_back_and_the_others_stay() -> None:
    found = judged(rule_law({"ring": 1.3, "tree": 0.6}))
    assert not found.accepted
    assert found.tuning.decisions == (Decision("bcast", 4, (Rule(1024, TREE), Rule(None, DEFAULT))),)
    assert found.tuning.settings == TUNING.settings
    (reason,) = found.reverted
    assert reason.subject == "bcast at 4 ranks"
    assert reason.words.startswith("ring (up to 1 MiB) goes back to the default: 1.")
    assert "in bcast of 195.3 KiB on 4 ranks" in reason.words


def test_a_rule_that_is_slower_at_one_of_its_sizes_stays_at_the_others() -> None:
    tuning = Tuning(decisions=(Decision("bcast", 4, (Rule(1 << 20, RING), Rule(None, DEFAULT))),))

    def slow_when_large(one: Tuning, cell: Cell) -> float:
        factor = 1.3 if cell.size_bytes == 200_000 else 0.6
        return plain(cell) * (factor if choice_at(one, cell) == RING else 1.0)

    found = judged(slow_when_large, tuning)
    assert found.tuning.decisions[0].rules == (Rule(3000, RING), Rule(None, DEFAULT))
    assert found.reverted[0].words.startswith("ring (up to 1 MiB) stays up to 3000 B only: 1.")
    assert judged(slow_when_large, found.tuning).accepted


BCAST_RULES = replace(TUNING, settings=(), host_settings=())


def waiting(size: int) -> Law:
    """Every other launch loses a packet and waits for it: no test of so few launches is sure of it."""
    turns = itertools.cycle((3.0, 1.0, 1.3))

    def law(tuning: Tuning, cell: Cell) -> float:
        concerned = tuning.decisions and (cell.benchmark, cell.ranks, cell.size_bytes) == ("bcast", 4, size)
        other = 1.0 if choice_at(tuning, cell) == DEFAULT else 0.6
        return plain(cell) * (next(turns) if concerned else other)

    return law


def test_what_is_neither_shown_nor_slower_gets_more_launches_until_the_time_is_over() -> None:
    found = judged(waiting(200_000), BCAST_RULES, rounds=6)
    (still,) = (one for one in found.open if one.cell.ranks == 4)
    assert (still.cell.size_bytes, still.launches) == (200_000, 6) and still.wanted in LOOKS
    assert not found.reverted and not found.accepted
    over = judged(waiting(200_000), BCAST_RULES, rounds=6, is_over=True)
    (reason,) = over.reverted
    assert reason.words.startswith("ring (up to 1 MiB) goes back to the default: up to ")
    assert "could not be excluded after 6 launches in bcast of 195.3 KiB on 4 ranks" in reason.words
    assert [rule.choice for rule in over.tuning.decisions[0].rules] == [TREE, DEFAULT], "the other rule stays"
    between = judged(waiting(3000), BCAST_RULES, rounds=6)
    assert not [one for one in between.open if one.cell.ranks == 4], "between two rules nothing acts"


def test_with_few_launches_nothing_is_shown() -> None:
    found = judged(rule_law({"ring": 0.5, "tree": 0.5}), BCAST_RULES, rounds=2)
    assert {one.wanted for one in found.open} == {FIRST_LOOK} and not found.reverted
    over = judged(rule_law({"ring": 0.5, "tree": 0.5}), BCAST_RULES, rounds=2, is_over=True)
    assert over.tuning == Tuning()
    assert all("2 launches, which is too few" in reason.words for reason in over.reverted)


def test_what_was_not_measured_goes_back_when_the_time_is_over() -> None:
    more = (*CELLS, replace(CELLS[0], size_bytes=1024))
    launches = fresh(rule_law({"ring": 0.5, "tree": 0.5}), tuning=BCAST_RULES)
    assert [one.cell.size_bytes for one in of(launches, BCAST_RULES, cells=more).open] == [1024]
    over = of(launches, BCAST_RULES, cells=more, is_over=True)
    (reason,) = over.reverted
    assert reason.words.startswith("tree (up to 1 KiB) goes back to the default: not measured")
    (without,) = of(launches, TUNING, cells=more[-1:], is_over=True).reverted
    assert without.words.startswith("tree (up to 1 KiB)")
    everything = of(launches, replace(TUNING, decisions=()), cells=more[-1:], is_over=True)
    assert everything.tuning == Tuning() and everything.reverted[0].subject == "everything"


def test_only_cells_on_which_something_acts_count_in_the_gain() -> None:
    found = judged(rule_law({"ring": 0.5, "tree": 0.6}), BCAST_RULES)
    assert found.accepted and len(found.verdicts) == found.gain.cells == 2 + 3  # at 4 ranks, and inside 6
    alone = of(fresh(rule_law({"ring": 0.5, "tree": 0.6}), tuning=BCAST_RULES)[:], BCAST_RULES, cells=CELLS[:3])
    assert alone.gain.ratio == found.gain.ratio


def test_a_rule_that_does_not_end_where_it_should_goes_back() -> None:
    """An edge that is counted otherwise: the next size has the rule's algorithm, which is slow there."""
    rules = (Rule(47, TREE), Rule(None, DEFAULT))
    tuning = Tuning(decisions=(Decision("bcast", 4, rules),))
    slow_beyond = lambda one, cell: plain(cell) * (2.0 if one.decisions and cell.size_bytes == 48 else 1.0)  # noqa: E731
    found = judged(slow_beyond, tuning, rounds=12)
    assert any(reason.words.startswith("tree (below 48 B)") for reason in found.reverted)


def test_a_rule_inside_more_ranks_is_to_blame_for_what_is_slower_there() -> None:
    inside = lambda one, cell: plain(cell) * (1.5 if one.decisions and cell.ranks == 6 else 1.0)  # noqa: E731
    found = judged(inside, BCAST_RULES)
    assert found.tuning.decisions == ()
    assert {reason.subject for reason in found.reverted} == {"bcast at 4 ranks"}


def test_a_decision_that_leaves_no_size_to_the_default_goes_as_a_whole() -> None:
    tuning = Tuning(decisions=(Decision("bcast", 4, (Rule(1024, TREE), Rule(None, RING))),))
    found = judged(rule_law({"ring": 1.3, "tree": 0.6}), tuning)
    assert found.tuning == Tuning()
    assert "ring (to any size) goes back to the default with all others" in found.reverted[0].words


def test_a_decision_without_rules_left_is_gone() -> None:
    found = judged(rule_law({"ring": 1.3, "tree": 1.4}))
    assert found.tuning.decisions == ()
    assert len(found.reverted) == 2


def test_settings_go_back_one_a_validation_the_last_one_first() -> None:
    def slow_threshold(tuning: Tuning, cell: Cell) -> float:
        bad = setting(tuning, "eager-threshold") and cell.benchmark == "pingpong"
        return plain(cell) * (1.4 if bad else 1.0)

    first = judged(slow_threshold)
    assert first.tuning.settings == TUNING.settings[:1]
    assert [reason.subject for reason in first.reverted] == ["eager-threshold"]
    assert first.tuning.host_settings == TUNING.host_settings
    assert judged(slow_threshold, first.tuning).accepted

    def slow_hosts(tuning: Tuning, cell: Cell) -> float:
        return plain(cell) * (1.4 if tuning.host_settings and cell.benchmark == "pingpong" else 1.0)

    left, rounds = TUNING, 0
    while not (found := judged(slow_hosts, left)).accepted:
        left, rounds = found.tuning, rounds + 1
    assert rounds == 3
    assert (left.settings, left.host_settings) == ((), ())
    assert left.decisions == TUNING.decisions


def test_what_fails_only_when_tuned_goes_back_too() -> None:
    found = judged(
        rule_law({}), fails=lambda tuning, cell: "no such algorithm" if choice_at(tuning, cell) == RING else ""
    )
    assert choice_at(found.tuning, Cell(IMPLEMENTATION, "bcast", 200_000, 4)) == DEFAULT
    assert "fails: no such algorithm" in found.reverted[0].words
    both = judged(rule_law({}), fails=lambda _, cell: "never works" if cell.size_bytes == 48 else "")
    assert both.accepted


def test_one_hang_is_not_held_against_a_tuning_but_two_are() -> None:
    for often, accepted in ((1, True), (2, False)):
        launches = fresh(rule_law({}))
        hung = [one for one in launches if one.ranks == 4 and one.series[0].cell.label == "wan"][:often]
        for one in hung:
            cell = one.series[0].cell
            failure = CellFailure(replace(cell, size_bytes=48), "timed out after 60 s")
            launches[launches.index(one)] = replace(one, status="timed out", series=(), failures=(failure,))
        assert (not of(launches, TUNING).reverted) is accepted


def test_slower_with_nothing_left_to_blame_is_said() -> None:
    empty = Tuning()
    launches = fresh(lambda _, cell: plain(cell))
    worse = fresh(lambda _, cell: 1.5 * plain(cell), seed=1)
    mixed = [one for one in launches if one.series[0].cell.label == "default"]
    mixed += [one for one in worse if one.series[0].cell.label == "wan"]
    found = of(mixed, empty)
    assert not found.accepted
    assert len(found.unexplained) == 9
    assert found.tuning == empty


def test_other_implementations_and_profiles_are_left_out() -> None:
    mine = fresh(rule_law({"ring": 0.5}))
    alone = of(mine, TUNING)
    among = of([*mine, *_others(mine)], TUNING)
    assert [one.ratio for one in among.verdicts] == [one.ratio for one in alone.verdicts]


def _others(launches: list[Launch]) -> list[Launch]:
    return [
        replace(one, segments=(replace(one.segments[0], implementation="other-2.0"),), series=tuple(
            replace(s, cell=replace(s.cell, implementation="other-2.0")) for s in one.series))
        for one in launches
    ]  # fmt: skip


def test_without_launches_nothing_is_known() -> None:
    found = of([], TUNING)
    assert (found.verdicts, found.gain.cells, found.tuning) == ((), 0, TUNING)
    assert found.doubt == "the validation came to nothing"
    assert math.isnan(found.gain.ratio)


def test_the_gain_of_an_application_is_weighted_by_the_time_that_it_spends() -> None:
    launches = fresh(rule_law({"tree": 0.5}))
    seconds = {size: plain(Cell(IMPLEMENTATION, "bcast", size, 4)) for size in SIZES}
    does = Application(((Use("bcast", 4, 64), 10), (Use("bcast", 4, 262144), 1)))
    found = of(launches, TUNING, application=does).gain
    share = 10 * seconds[48] / (10 * seconds[48] + seconds[200_000])
    assert found.weighted and found.cells == 2
    assert found.ratio == pytest.approx(0.5**share, rel=0.03)
    assert found.ratio_low <= found.ratio <= found.ratio_high
    other = Application(((Use("alltoall", 4, 64), 10),))
    plainly = of(launches, TUNING, application=other).gain
    assert plainly == of(launches, TUNING).gain
    assert not plainly.weighted
