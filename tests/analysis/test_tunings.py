"""A tuning decides for its own operation, ranks and sizes; one on top of another replaces what both set."""

from __future__ import annotations

from dataclasses import replace

from rankwise.analysis.tunings import choice_at, merged, range_words, rule_at, with_reverted
from rankwise.core.records import Cell
from rankwise.core.tuning import Choice, Decision, Reason, Rule, Setting, Tuning


def test_what_both_decide_is_as_the_later_says() -> None:
    base = Tuning((Setting("links", "2"),), (Decision("bcast", 4, (Rule(None, Choice("ring")),)),), (("a", "1"),))
    over = Tuning((Setting("links", "4"),), (Decision("bcast", 8, (Rule(None, Choice("ring")),)),), (("a", "2"),))
    assert merged(base, over) == Tuning(over.settings, (*base.decisions, *over.decisions), over.host_settings)


def test_why_it_was_chosen_and_why_it_does_not_stay_are_one_reason() -> None:
    reasons = [
        Reason("bcast at 4 ranks", "up to 4 KiB ring"),
        Reason("socket buffers, links, transport", "links=4: 0.8 times the default's time", "memory"),
    ]
    returned = [
        Reason("links", "4 goes back to the default: 1.2"),
        Reason("bcast at 4 ranks", "ring goes back to the default: 1.3"),
        Reason("everything", "not proved"),
    ]
    assert with_reverted(reasons, returned) == [
        Reason("bcast at 4 ranks", "up to 4 KiB ring. But ring goes back to the default: 1.3"),
        Reason(
            "socket buffers, links, transport",
            "links=4: 0.8 times the default's time. But 4 goes back to the default: 1.2",
        ),
        Reason("everything", "not proved"),
    ]


def test_a_choice_is_that_of_the_first_rule_that_reaches_as_far() -> None:
    small, large = Rule(1024, Choice("tree")), Rule(None, Choice("ring"))
    tuning = Tuning(decisions=(Decision("bcast", 4, (small, large)),))
    cell = Cell("mpi-1", "bcast", 1024, 4)
    assert rule_at(tuning, "bcast", 4, 1024) == (tuning.decisions[0], small)
    assert choice_at(tuning, cell) == Choice("tree")
    assert choice_at(tuning, replace(cell, size_bytes=1025)) == Choice("ring")
    assert choice_at(tuning, replace(cell, ranks=8)) == choice_at(tuning, replace(cell, benchmark="x")) == Choice()


def test_reach_in_words() -> None:
    assert [range_words(Rule(end, Choice("a"))) for end in (4096, (1 << 20) - 1, 1, None)] == [
        "up to 4 KiB", "below 1 MiB", "up to 1 B", "above",
    ]  # fmt: skip
