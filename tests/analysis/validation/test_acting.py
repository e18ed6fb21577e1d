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


def test_only_steps_of_an_operation_act_inside_it() -> None:
    inside = replace(CELL, ranks=8)
    assert acts(TUNING, inside) and acts(TUNING, replace(inside, benchmark="allreduce"))
    assert not acts(TUNING, replace(inside, benchmark="reduce")), "no reduction has a broadcast in it"
    assert acts(TUNING, replace(inside, benchmark="ialltoallv")), "of others it is not known"


def test_inside_what_a_rule_chooses_nothing_acts_unless_it_calls_operations_on_parts() -> None:
    inside = replace(CELL, ranks=8)
    for algorithm, other in (("ring", False), ("smp", True)):
        both = replace(TUNING, decisions=(AT_4, Decision("bcast", 8, (Rule(None, Choice(algorithm)),))))
        alone = replace(both, decisions=both.decisions[1:])
        assert (acting(both, inside) != acting(alone, inside)) is other


def test_ranks_of_groups() -> None:
    assert communicator_ranks(replace(CELL, ranks=8, options=GROUPS)) == 4
