"""What acts on a cell is known: launches count on after something went back elsewhere; the slow has its cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankwise.analysis.validation.acting import (
    acting,
    acts,
    communicator_ranks,
    has_rule,
    rule_behind,
    rule_words,
    without_last_setting,
    without_rule,
)
from rankwise.core.records import Cell, Options
from rankwise.core.tuning import Choice, Decision, Rule, Setting, Tuning

RING, TREE, DEFAULT = Choice("ring"), Choice("tree"), Choice()
RULES = (Rule(1024, TREE), Rule(65535, DEFAULT), Rule(1 << 20, RING), Rule(None, DEFAULT))
AT_4 = Decision("bcast", 4, RULES)
TUNING = Tuning(decisions=(AT_4,))
CELL = Cell("ours-1.0", "bcast", 64, 4)
GROUPS = Options(groups=2)


@pytest.mark.parametrize(
    ("cell", "rule"),
    [
        (CELL, RULES[0]),
        (replace(CELL, size_bytes=2000), None),
        (replace(CELL, size_bytes=1025), RULES[0]),  # just above: it may not end where it should
        (replace(CELL, size_bytes=1028), RULES[0]),
        (replace(CELL, ranks=8, options=GROUPS), RULES[0]),  # groups of 4
        (replace(CELL, ranks=8), RULES[0]),  # inside
        (replace(CELL, ranks=8, size_bytes=2 << 20), RULES[2]),  # cut into segments, perhaps
        (replace(CELL, options=GROUPS), RULES[0]),  # groups of 2 in a job of 4
        (replace(CELL, ranks=2), None),
        (replace(CELL, benchmark="reduce"), None),
    ],
)
def test_the_rule_that_a_cell_is_due_to(cell: Cell, rule: Rule | None) -> None:
    assert rule_behind(TUNING, cell) == ((AT_4, rule) if rule else None)


def test_a_rule_acts_on_its_communicators_and_perhaps_inside_larger_ones() -> None:
    assert acts(TUNING, CELL) and has_rule(TUNING, CELL)
    assert acts(TUNING, replace(CELL, ranks=8)) and not has_rule(TUNING, replace(CELL, ranks=8))
    assert acts(TUNING, replace(CELL, ranks=8, options=GROUPS)) and acts(TUNING, replace(CELL, options=GROUPS))
    assert not acts(TUNING, replace(CELL, size_bytes=2000)) and not acts(TUNING, replace(CELL, ranks=2))
    assert acts(replace(TUNING, settings=(Setting("transport", "tcp"),)), replace(CELL, ranks=2))


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


def test_rules_in_words_and_ranks_of_groups() -> None:
    both = replace(CELL, ranks=8, options=GROUPS)
    assert communicator_ranks(both) == 4
    assert [rule_words(rule) for rule in (RULES[2], Rule(None, RING))] == [
        "ring (up to 1 MiB)",
        "ring (to any size)",
    ]
