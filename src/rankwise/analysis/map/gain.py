"""What a mapping is predicted to gain, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankwise.analysis.predict.band import band
from rankwise.analysis.predict.results import Band


@dataclass(frozen=True, slots=True)
class Gain:
    """The time as mapped beside that of now, on the same platform."""

    now_seconds: float
    mapped_seconds: float
    now_band: Band | None = None
    mapped_band: Band | None = None
    ratio_low: float | None = None
    """Where the ratio is expected in 9 of 10 cases; None without a band."""
    ratio_high: float | None = None
    no_band: str = ""
    """Why there is none, or what is not in it."""

    @property
    def ratio(self) -> float:
        """The time as mapped as a share of now's."""
        return self.mapped_seconds / self.now_seconds if self.now_seconds else 1.0


def gain(
    now: float, mapped: float, relative_error: float | None, moved: Sequence[tuple[float, float]], no_band: str
) -> Gain:
    """Return the gain; `moved`: both times on each platform that `moved_platforms` made.

    The parameters' errors are common to both times, so that they cancel in the ratio as far as they do there; the
    model's are taken as independent, since the two placements load other links.
    """
    if relative_error is None or not now > 0 or not mapped > 0:
        return Gain(now, mapped, no_band=no_band)
    known = moved if not no_band else None
    of_now = band(now, relative_error, None if known is None else [before for before, _ in known])
    of_mapped = band(mapped, relative_error, None if known is None else [after for _, after in known])
    ratios = None if known is None else [other / before for before, other in known]
    of_ratio = band(mapped / now, math.hypot(relative_error, relative_error), ratios)
    return Gain(now, mapped, of_now, of_mapped, of_ratio.low_seconds, of_ratio.high_seconds, no_band)
