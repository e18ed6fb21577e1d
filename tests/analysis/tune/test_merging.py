"""One tuning on top of another replaces what both set, and reasons follow what is reverted."""

from __future__ import annotations

from rankwise.analysis.tune.merging import merged, with_reverted
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
        Reason("bcast at 4 ranks", "up to 4 KiB ring; but ring goes back to the default: 1.3"),
        Reason(
            "socket buffers, links, transport",
            "links=4: 0.8 times the default's time; but 4 goes back to the default: 1.2",
        ),
        Reason("everything", "not proved"),
    ]
