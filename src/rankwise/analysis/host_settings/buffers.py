"""Which TCP buffers the paths of a testbed need, from what was measured of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rankwise.core.host_settings import TCP_RMEM as READ
from rankwise.core.host_settings import TCP_WMEM as WRITE
from rankwise.core.network import PathFigures, Settings
from rankwise.core.units import whole_number

HEADROOM = 2.0
"""Limit over bandwidth-delay product: the kernel keeps about half of a buffer for its own bookkeeping."""
HELD_BACK = 0.25
"""A stream that has this share of its buffer on the way may be held back by the buffer, and not by the path.

A trial shows whether it is: about half of a buffer carries data, and of that a busy host uses less."""
MOST_BYTES = 1 << 30


def bandwidth_delay_bytes(path: PathFigures, rate_bits_per_second: float | None = None) -> float:
    """Return what is on the way both ways of a full path, as measured or at another rate; nan: unmeasured."""
    rate = path.rate_bits_per_second if rate_bits_per_second is None else rate_bits_per_second
    return rate * 2 * path.delay_seconds / 8


def needed_bytes(paths: Sequence[PathFigures], limit_bytes: int) -> int:
    """Return the limit that the most demanding path needs: HEADROOM times its product; 0: unknown.

    `limit_bytes` is what was in force while `paths` were measured. A path whose rate that has held back is taken
    at the best rate that any path showed, since that much the hosts can do.
    """
    fastest = max(
        (figures.rate_bits_per_second for figures in paths if figures.rate_bits_per_second > 0), default=math.nan
    )
    most = 0.0
    for path in paths:
        product = bandwidth_delay_bytes(path)
        if product >= HELD_BACK * limit_bytes:
            product = max(product, bandwidth_delay_bytes(path, fastest))
        if product > 0:  # not so for nan
            most = max(most, product)
    return min(1 << max(0, math.ceil(math.log2(HEADROOM * most))), MOST_BYTES) if most > 0 else 0


def buffer_settings(paths: Iterable[PathFigures], now: Settings) -> Settings:
    """Return the limits to raise for these paths: kernel settings of three values, of which the third changes.

    `now` is in force on the hosts. Nothing is lowered, and nothing is said of a setting that `now` does not have.
    """
    measured = list(paths)
    present = {name: _triple(value) for name, value in now if name in (READ, WRITE)}
    known = {name: three for name, three in present.items() if three}
    if not known:
        return ()
    wanted = needed_bytes(measured, min(three[2] for three in known.values()))
    return tuple(
        (name, f"{three[0]} {three[1]} {wanted}") for name, three in sorted(known.items()) if three[2] < wanted
    )


def _triple(value: str) -> tuple[int, int, int] | None:
    fields = value.split()
    numbers = [number for word in fields if (number := whole_number(word)) is not None]
    if len(fields) != 3 or len(numbers) < 3:
        return None
    return numbers[0], numbers[1], numbers[2]
