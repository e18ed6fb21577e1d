"""Texts of `rankwise predict`: changes of a platform, and ranges of rates and delays."""

from __future__ import annotations

from rankwise.analysis.predict.what_if import Change, parse_changes, parse_value
from rankwise.core.errors import InputError

__all__ = ["MOST_STEPS", "parse_changes", "parse_sweep"]

MOST_STEPS = 1000


def parse_sweep(text: str) -> tuple[Change, tuple[float, float]]:
    """Return `wan.delay=1ms:100ms` as what is changed, and both ends. Raises InputError."""
    target, _, ends = text.partition("=")
    name, _, quantity = target.rpartition(".")
    low, colon, high = ends.partition(":")
    if not name or not colon or quantity not in ("rate", "delay"):
        raise InputError(f"'{text[:60]}' is not a range", "write NAME.delay=1ms:100ms or NAME.rate=100M:10G")
    kind = "rate" if quantity == "rate" else "delay"
    found = parse_value(kind, low), parse_value(kind, high)  # type: ignore[arg-type]
    if not 0 < found[0] < found[1]:
        raise InputError(f"'{ends[:60]}' is not a range", "begin above 0, with the lower end: 1ms:100ms")
    return Change(name, kind, found[0]), found  # type: ignore[arg-type]
