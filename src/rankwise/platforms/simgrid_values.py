"""SimGrid's numbers with units, and its laws by size."""

from __future__ import annotations

import math
import re

from rankwise.core.units import decimal_number, whole_number

_NUMBER = re.compile(r"\s*([0-9.]+(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)\s*")
_DECIMAL = {"": 1.0, "k": 1e3, "K": 1e3} | {prefix: 10.0 ** (6 + 3 * at) for at, prefix in enumerate("MGTPEZY")}
_PREFIXES = _DECIMAL | {f"{prefix}i": 1024.0 ** (1 + at) for at, prefix in enumerate("KMGTPEZY")}
_LONG = ("", "kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta")
_TIMES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "m": 60.0, "h": 3600.0, "d": 86400.0,
          "w": 604800.0}  # fmt: skip
_RATES = {f"{prefix}Bps": factor for prefix, factor in _PREFIXES.items()}
_RATES |= {f"{prefix}bps": factor / 8 for prefix, factor in _PREFIXES.items()} | {"": 1.0}
Law = dict[int, tuple[float, ...]]
"""Values by the size above which they hold."""
_SPEEDS = {f"{prefix}f": factor for prefix, factor in _PREFIXES.items()} | {"": 1.0}
_SPEEDS |= {f"{prefix}flops": 1000.0**at for at, prefix in enumerate(_LONG)}


def _read(text: str, units: dict[str, float]) -> float | None:
    match = _NUMBER.fullmatch(text)
    if not match or match[2] not in units:
        return None
    number = decimal_number(match[1])
    return None if number is None or math.isinf(number * units[match[2]]) else number * units[match[2]]


def rate(text: str) -> float | None:
    """Return bytes a second of `125MBps`, `1Gbps`, `1e9`; None for what is no rate, or none above 0."""
    value = _read(text, _RATES)
    return value if value and value >= 1 else None


def seconds(text: str) -> float | None:
    """Return seconds of `50us`, `1.5ms`, `0.01`; None for what is no time."""
    return _read(text, _TIMES)


def limit(text: str) -> float | None:
    """Return a plain number from 0 on; None for what is none."""
    return _read(text, {"": 1.0})


def flops(text: str, state: int = 0) -> float | None:
    """Return the speed of `1Gf`; None for what is none. Of a list (one a power state) that of the state."""
    listed = text.split(",")
    value = _read(listed[state], _SPEEDS) if state < len(listed) else None
    return value if value and value >= 1 else None


def by_size(text: str, values: int) -> Law | None:
    """Return `0:a:b;65536:c:d`, or one number for all sizes; None if it is neither.

    What SimGrid has beyond these values (it writes 0:0:0:0:0 for smpi/os) is nothing to it either.
    """
    single = decimal_number(text.strip())
    if single is not None and values == 1:
        return {0: (single,)}
    law: Law = {}
    for part in text.strip().strip(";").split(";"):
        fields = part.strip().split(":")
        size, numbers = whole_number(fields[0]), [decimal_number(word) for word in fields[1:]]
        known = tuple(number for number in numbers if number is not None)
        if size is None or len(known) < max(values, len(numbers)):
            return None
        law[size] = known[:values]
    return law
