"""What was not shown goes back to the default and nothing else: a setting, a rule, or some sizes of a rule."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from rankwise.analysis.tunings import choice_at
from rankwise.analysis.validation.acting import acting
from rankwise.analysis.validation.reverting import (
    Bad,
    kept_ranges,
    rule_words,
    without,
    without_last_setting,
    without_rule,
)
from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Decision, Rule, Setting, Tuning

RING, TREE, DEFAULT = Choice("ring"), Choice("tree"), Choice()
RULES = (Rule(1024, TREE), Rule(65535, DEFAULT), Rule(1 << 20, RING), Rule(None, DEFAULT))
AT_4 = Decision("bcast", 4, RULES)
TUNING = Tuning(decisions=(AT_4,))
CELL = Cell("ours-1.0", "bcast", 64, 4)


def test_what_goes_back_elsewhere_changes_nothing_here() -> None:
    left = without_rule(TUNING, AT_4, RULES[2])
    assert acting(left, CELL) == acting(TUNING, CELL)
    assert acting(left, replace(CELL, size_bytes=65536)) != acting(TUNING, replace(CELL, size_bytes=65536))
    assert acting(left, replace(CELL, ranks=8)) != acting(TUNING, replace(CELL, ranks=8))


def test_a_rule_goes_and_its_neighbours_are_merged() -> None:
    assert without_rule(TUNING, AT_4, RULES[2]).decisions[0].rules == (RULES[0], Rule(None, DEFAULT))
    assert without_rule(without_rule(TUNING, AT_4, RULES[2]), AT_4, RULES[0]) == Tuning()
    complete = Decision("bcast", 4, (Rule(64, TREE), Rule(None, RING)))
    assert without_rule(Tuning(decisions=(complete,)), complete, complete.rules[0]) == Tuning()


def test_settings_go_one_by_one_and_host_settings_all_at_once() -> None:
    tuning = Tuning((Setting("transport", "tcp"), Setting("han", "off")), (), (("a", "1"), ("b", "2")))
    tuning, reason = without_last_setting(tuning, "slow")
    assert (reason.subject, reason.words) == ("han", "off goes back to the default: slow")
    tuning, _ = without_last_setting(tuning, "slow")
    tuning, reason = without_last_setting(tuning, "slow")
    assert tuning == Tuning() and reason.words == "a, b go back to the default: slow"


def test_rules_in_words() -> None:
    assert [rule_words(rule) for rule in (RULES[2], Rule(None, RING))] == [
        "ring (up to 1 MiB)",
        "ring (to any size)",
    ]


def sized(*sizes: int) -> list[Cell]:
    return [replace(CELL, size_bytes=size) for size in sizes]


RING_SIZES = (65536, 98304, 262144, 393216, 1 << 20)
SIZES = (1, 1024, *RING_SIZES)


def left(*bad: int, is_own: bool = True) -> tuple[tuple[Rule, ...], str]:
    found = without(
        TUNING,
        [Bad(cell, "not shown", is_own) for cell in sized(*bad)],
        sized(*SIZES),
        is_over=False,
    )
    (reason,) = found.reasons
    assert reason.subject == "bcast at 4 ranks" and not found.unexplained
    return found.tuning.decisions[0].rules, reason.words


def test_a_rule_stays_at_those_of_its_sizes_that_were_shown() -> None:
    rules, words = left(1 << 20)
    assert rules == (RULES[0], RULES[1], Rule(393216, RING), Rule(None, DEFAULT))
    assert words == (
        "ring (up to 1 MiB) stays from 64 KiB up to 384 KiB only: not shown in bcast of 1 MiB on 4 ranks, "
        "placement block"
    )
    rules, words = left(65536)
    assert rules == (RULES[0], Rule(98303, DEFAULT), Rule(1 << 20, RING), Rule(None, DEFAULT))
    rules, words = left(262144, 65536)
    assert rules == (RULES[0], Rule(393215, DEFAULT), Rule(1 << 20, RING), Rule(None, DEFAULT))
    assert "and 1 more" in words, "the range around a single size is not known well enough"
    rules, words = left(98304, 393216)
    assert rules == (RULES[0], Rule(None, DEFAULT)) and "goes back to the default" in words


def test_what_is_slower_where_a_rule_only_reaches_sends_all_of_it_back() -> None:
    rules, words = left(1 << 20, is_own=False)
    assert rules == (RULES[0], Rule(None, DEFAULT)) and words.startswith("ring (up to 1 MiB) goes back")


@given(st.sets(st.sampled_from((1, 1024)), max_size=2), st.sets(st.sampled_from(RING_SIZES)))
def test_no_bad_size_keeps_its_rule_and_no_other_size_gets_one(tree: set[int], ring: set[int]) -> None:
    bad = [Bad(cell, "bad", is_own=True) for cell in sized(*tree, *ring)]
    found = without(TUNING, bad, sized(*SIZES), is_over=False).tuning
    for size in (
        0,
        1,
        2,
        1023,
        1024,
        1025,
        65535,
        *(one + by for one in RING_SIZES for by in (-1, 0, 1)),
        1 << 30,
    ):
        cell = replace(CELL, size_bytes=size)
        assert choice_at(found, cell) in (choice_at(TUNING, cell), DEFAULT)
        assert size not in tree | ring or choice_at(found, cell) == DEFAULT
    for decision in found.decisions:
        ends = [rule.up_to_bytes for rule in decision.rules]
        assert ends[-1] is None and ends[:-1] == sorted({*ends[:-1]}), "rules ascend, none is empty"  # type: ignore[type-var]
        choices = [rule.choice for rule in decision.rules]
        assert all(one != two for one, two in pairwise(choices)), "neighbours differ"
    if not tree | ring:
        assert found == TUNING


def test_ranges_reach_as_far_as_the_rule_where_its_ends_are_good() -> None:
    assert kept_ranges(0, None, (1, 8, 64), ()) == ((0, None),)
    assert kept_ranges(0, None, (1, 8, 64), (8,)) == ()
    assert kept_ranges(0, 128, (1, 8, 64, 100), (8,)) == ((64, 128),)
    assert kept_ranges(0, 128, (1, 8, 64, 100), (64,)) == ((0, 8),)


def test_everything_goes_back_where_no_other_validation_follows() -> None:
    tuning = replace(TUNING, settings=(Setting("transport", "tcp"),))
    bad = [Bad(replace(CELL, ranks=2), "not shown")]
    assert without(tuning, bad, (), is_over=True).tuning == Tuning()
    assert without(tuning, bad, (), is_over=False).tuning == TUNING
    assert without(Tuning(), bad, (), is_over=True).unexplained == (
        "not shown in bcast of 64 B on 2 ranks, placement block",
    )
