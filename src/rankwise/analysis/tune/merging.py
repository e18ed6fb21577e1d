"""One tuning on top of another, and what becomes of its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankwise.core.tuning import Reason, Tuning


def merged(base: Tuning, over: Tuning) -> Tuning:
    """Return `over` and all of `base` that it does not set too: knobs, operations by ranks, host settings."""
    settings = {one.knob: one for one in (*base.settings, *over.settings)}
    decisions = {(one.operation, one.ranks): one for one in (*base.decisions, *over.decisions)}
    return Tuning(
        settings=tuple(settings.values()),
        decisions=tuple(decisions.values()),
        host_settings=tuple(dict((*base.host_settings, *over.host_settings)).items()),
    )


def with_reverted(reasons: Sequence[Reason], reverted: Iterable[Reason]) -> list[Reason]:
    """Return the reasons with those why something does not stay, each behind the one why it was chosen.

    What was chosen and does not stay has no cost. A search of several knobs names the one it chose in its words.
    """
    found = list(reasons)
    for one in reverted:
        chosen = f"{one.subject}="
        at = [
            i for i, old in enumerate(found)
            if old.subject == one.subject or old.words.startswith(chosen)
        ]  # fmt: skip
        if at:
            old = found[at[0]]
            found[at[0]] = replace(old, words=f"{old.words}; but {one.words}", cost="")
        else:
            found.append(one)
    return found
