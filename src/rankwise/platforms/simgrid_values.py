"""SimGrid's numbers with units, and its laws by size."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"\s*([0-9.]+(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)\s*")
_PREFIXES = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
             "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}  # fmt: skip
_TIMES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "m": 60.0, "h": 3600.0, "d": 86400.0,
          "w": 604800.0}  # fmt: skip
_RATES = {f"{prefix}Bps": factor for prefix, factor in _PREFIXES.items()}
_RATES |= {f"{prefix}bps": factor / 8 for prefix, factor in _PREFIXES.items()} | {"": 1.0}
_SPEEDS = {f"{prefix}f": factor for prefix, factor in _PREFIXES.items()} | {"": 1.0}


def _read(text: str, units: dict[str, float]) -> float | None:
    found = _NUMBER.fullmatch(text)
    if not found or found[2] not in units:
        return None
    try:
        value = float(found[1]) * units[found[2]]
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def rate(text: str) -> float | None:
    """Return bytes a second of `125MBps`, `1Gbps`, `1e9`; None for what is no rate, or none above 0."""
    value = _read(text, _RATES)
    return value if value and value >= 1 else None


def seconds(text: str) -> float | None:
    """Return seconds of `50us`, `1.5ms`, `0.01`; None for what is no time."""
    return _read(text, _TIMES)


def flops(text: str) -> float | None:
    """Return the speed of `1Gf`; None for what is none. Of a list (one a power state) the first."""
    value = _read(text.split(",", maxsplit=1)[0], _SPEEDS)
    return value if value and value >= 1 else None


def by_size(text: str, values: int) -> dict[int, tuple[float, ...]] | None:
    """Return `0:a:b;65536:c:d` as values by the first size that they hold for; None for what is no such law."""
    law: dict[int, tuple[float, ...]] = {}
    for part in text.split(";"):
        words = part.strip().split(":")
        try:
            numbers = tuple(float(word) for word in words[1:])
            size = int(words[0])
        except ValueError:
            return None
        if len(numbers) != values or size < 0 or not all(math.isfinite(n) and n >= 0 for n in numbers):
            return None
        law[size] = numbers
    return law
