"""One tuning on top of another."""

from __future__ import annotations

from rankwise.core.tuning import Tuning


def merged(base: Tuning, over: Tuning) -> Tuning:
    """Everything of `base`, but what `over` has too: the same knob, operation and ranks, or kernel setting."""
    settings = {one.knob: one for one in (*base.settings, *over.settings)}
    decisions = {(one.operation, one.ranks): one for one in (*base.decisions, *over.decisions)}
    return Tuning(
        settings=tuple(settings.values()),
        decisions=tuple(decisions.values()),
        host_settings=tuple(dict((*base.host_settings, *over.host_settings)).items()),
    )
