"""How sure a prediction is: the model's error on patterns that its fit did not see, and its parameters' errors.

Half the width is sqrt(e^2 + sum of (dT_i / T)^2): e is the model's `relative_error`, dT_i by how much the total
moves when a group of parameters moves from its estimates by half its intervals. Parameters of a class of pairs
that are of one kind (its latencies, its gaps) move together, as they would in another measurement on the same
hosts; groups are taken as independent.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from rankwise.analysis.predict.parameters import value_of, with_value
from rankwise.analysis.predict.results import Band
from rankwise.core.platform import Platform

_FROM_95_TO_90_PERCENT = 1.645 / 1.960


def moved_platforms(platform: Platform, model: str) -> list[Platform]:
    """Return for each group of parameters with intervals the platform in which they are half an interval higher.

    Parameters of other models than this one are left out.
    """
    groups: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in platform.intervals:
        parts = name.split(".")
        if parts[0] == "models" and not name.startswith(f"models.{model}."):
            continue
        groups[(parts[0], parts[1], parts[-1]) if parts[0] == "classes" else (name,)].append(name)
    made = []
    for names in groups.values():
        moved = platform
        for name in names:
            interval = platform.intervals[name]
            half = (interval.high - interval.low) / 2 * _FROM_95_TO_90_PERCENT
            if math.isfinite(half):
                moved = with_value(moved, name, value_of(platform, name) + half)
        made.append(moved)
    return made


def band(total_seconds: float, relative_error: float, moved_seconds: Sequence[float] | None) -> Band:
    """Return the band of a total; `moved_seconds`: the totals on the moved platforms, None where not simulated."""
    parameters = None
    if moved_seconds is not None:
        parameters = math.hypot(*((moved - total_seconds) / total_seconds for moved in moved_seconds), 0.0)
    half = math.hypot(relative_error, parameters or 0.0)
    return Band(total_seconds * max(0.0, 1 - half), total_seconds * (1 + half), relative_error, parameters)
