"""Reading and writing quantities: bytes, seconds, bits per second, shares.

Sizes have binary prefixes, as in IMB and OSU; rates of links decimal ones, as on their data sheets.
"""

from __future__ import annotations

import math
import re

from rankwise.core.errors import InputError

_WHOLE = re.compile(r"[0-9]{1,18}")
_DECIMAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SIZE = re.compile(r"\s*([0-9]+)\s*(?:([kKmMgG])(?:i?[bB])?|[bB])?\s*")
_FACTOR = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|us|s|m|h)?")
_DELAY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|μs|ms|s)\s*")  # both of Unicode's micro signs
_DELAYS_PER_SECOND = {  # divided by: 10 us is 1e-05
    "ns": 1e9,
    "us": 1e6,
    "µs": 1e6,
    "μs": 1e6,
    "ms": 1e3,
    "s": 1.0,
}
_RATE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kKMGT]?)(?:bit/s|bits/s|bps)\s*")
_RATE_FACTOR = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SHARE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?)\s*(%?)\s*")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
MOST_COUNT = 10**18 - 1
"""Of anything that is counted."""
_MOST_DIGITS = 30
"""More of them than any quantity here can need."""
_MOST_BYTES = 1 << 62
_LONGEST_SECONDS = 366 * 86400.0
_LONGEST_DELAY_SECONDS = 86400.0
_FASTEST_BITS_PER_SECOND = 1e14


def whole_number(text: str) -> int | None:
    """Return what up to 18 digits, 0 to 9, stand for; None for all else, also for digits of other scripts."""
    return int(text) if _WHOLE.fullmatch(text) else None


def signed_number(text: str) -> int | None:
    """Return the same of a number that may have a minus before it."""
    number = whole_number(text.removeprefix("-"))
    return -number if number is not None and text.startswith("-") else number


def version_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers in a version: (5, 0, 11) of `5.0.11rc`... and what else has digits."""
    return tuple(int(part) for part in re.findall(r"[0-9]{1,9}", text))


def decimal_number(text: str) -> float | None:
    """Return what `12`, `0.5` or `1e-3` stands for; None for all else, and for what no float can be."""
    value = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def parse_count(text: str, least: int = 0, most: int = MOST_COUNT) -> int:
    """Return a whole number within these bounds. Raises InputError."""
    number = whole_number(text)
    if number is None or not least <= number <= most:
        raise InputError(f"'{short(text)}' is not a whole number from {least} to {most}", "write it in digits")
    return number


def parse_size_bytes(text: str) -> int:
    """Return `64`, `4K`, `1M`, `2GiB` as bytes (K = 1024). Raises InputError."""
    match = _SIZE.fullmatch(text)
    if not match:
        raise InputError(f"'{short(text)}' is not a message size", "write a number of bytes: 64, 4K, 1M")
    digits, factor = match[1].lstrip("0") or "0", _FACTOR[(match[2] or "").lower()]
    if len(digits) > _MOST_DIGITS or int(digits) * factor > _MOST_BYTES:
        raise InputError(f"'{short(text)}' is too large for a size", "write less than 4000000000 G")
    return int(digits) * factor


def parse_sizes_bytes(text: str, step: int = 4) -> tuple[int, ...]:
    """Return a list `1,64,4K` and ranges `1:4M` (times `step`; `1:4M:2` gives the step) as ascending bytes.

    A range always contains both ends; a lower end of 0 goes on with 1. Raises InputError.
    """
    sizes: set[int] = set()
    for part in text.split(","):
        ends = part.split(":")
        if len(ends) == 1:
            sizes.add(parse_size_bytes(part))
            continue
        low, high = parse_size_bytes(ends[0]), parse_size_bytes(ends[1])
        factor = parse_size_bytes(ends[2]) if len(ends) == 3 else step
        if len(ends) > 3 or high < low or factor < 2:
            raise InputError(
                f"'{short(part)}' is not a range of sizes", "write LOW:HIGH or LOW:HIGH:FACTOR, e.g. 1:4M:2"
            )
        sizes.update((low, high))
        size = max(low, 1)
        while size < high:
            sizes.add(size)
            size *= factor
    return tuple(sorted(sizes))


def parse_duration_seconds(text: str) -> float:
    """Return `90`, `90s`, `3m`, `1h30m`, `250ms` as seconds. Raises InputError."""
    compact = text.replace(" ", "")
    parts = list(_DURATION.finditer(compact))
    total = sum(float(part[1]) * _SECONDS[part[2] or ""] for part in parts)
    if not parts or "".join(part[0] for part in parts) != compact or total <= 0:
        raise InputError(f"'{short(text)}' is not a duration", "write 90s, 3m or 1h30m")
    if total > _LONGEST_SECONDS:
        raise InputError(f"'{short(text)}' is too long for a duration", "write at most a year, 8784h")
    return total


def parse_delay_seconds(text: str) -> float:
    """Return `11.6 ms`, `50us`, `300 ns`, `0 s` as seconds: one number and its unit. Raises InputError."""
    match = _DELAY.fullmatch(text)
    if not match:
        raise InputError(f"'{short(text)}' is not a delay", "write a number and its unit: 5.8 ms, 20 us, 0 s")
    delay_seconds = float(match[1]) / _DELAYS_PER_SECOND[match[2]]
    if delay_seconds > _LONGEST_DELAY_SECONDS:
        raise InputError(f"'{short(text)}' is too long for a delay", "write at most a day, 86400 s")
    return delay_seconds


def parse_rate_bits_per_second(text: str) -> float:
    """Return `1 Gbit/s`, `622 Mbit/s`, `2.4Gbps` as bits per second (G = 10^9). Raises InputError."""
    match = _RATE.fullmatch(text)
    if not match:
        raise InputError(f"'{short(text)}' is not a rate", "write a number and its unit: 1 Gbit/s, 622 Mbit/s")
    rate = float(match[1]) * _RATE_FACTOR[match[2]]
    if rate > _FASTEST_BITS_PER_SECOND:
        raise InputError(f"'{short(text)}' is too fast for a link", "write at most 100 Tbit/s")
    return rate


def parse_share(text: str) -> float:
    """Return `0.01 %`, `0.0001`, `1e-4` as a number from 0 to 1. Raises InputError."""
    match = _SHARE.fullmatch(text)
    share = float(match[1]) / (100.0 if match[2] else 1.0) if match else math.inf
    if share > 1.0:
        raise InputError(f"'{short(text)}' is not a share", "write a percentage, 0.01 %, or a number from 0 to 1")
    return share


def format_size(size_bytes: float) -> str:
    """Return 1536 as `1.5 KiB`; exact powers without decimals."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.4g} {unit}"
    return f"{size_bytes:.4g} B"


def exact_size(size_bytes: int) -> str:
    """Format a size without rounding: `64 KiB`, `1500 B`."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes} B"


def at_most(size_bytes: int) -> str:
    """Say which sizes end here: `up to 4 KiB`, or `below 1 MiB` for a byte less than that."""
    odd = _is_a_byte_less(size_bytes)
    return f"below {exact_size(size_bytes + 1)}" if odd else f"up to {exact_size(size_bytes)}"


def more_than(size_bytes: int) -> str:
    """Say which sizes begin behind this one: `above 4 KiB`, `from 1 MiB` for a byte less than that."""
    odd = _is_a_byte_less(size_bytes)
    return f"from {exact_size(size_bytes + 1)}" if odd else f"above {exact_size(size_bytes)}"


def sizes_between(above_bytes: int | None, to_bytes: int | None) -> str:
    """Say which sizes lie above the one and end with the other: `above 1 KiB up to 4 KiB`, `any size`."""
    if above_bytes is None:
        return "any size" if to_bytes is None else at_most(to_bytes)
    low = more_than(above_bytes)
    if to_bytes == above_bytes + 1:
        return f"at {exact_size(to_bytes)}"
    return low if to_bytes is None else f"{low} {'to ' * _is_a_byte_less(to_bytes)}{at_most(to_bytes)}"


def _is_a_byte_less(size_bytes: int) -> bool:
    return size_bytes > 1 and size_bytes % 2 == 1


def format_time(seconds: float) -> str:
    """Return a time with three significant digits in the unit that suits it: `1.24 us`, `3.5 ms`, `2.1 s`."""
    if math.isnan(seconds):
        return "-"
    if seconds >= 1000:
        return f"{seconds:.0f} s"
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= 0.9995 * factor:  # what would print as 1000 of the smaller unit
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def format_duration(seconds: float) -> str:
    """Return a span for people: `45 s`, `3 min 20 s`, `1 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def format_bandwidth(bytes_per_second: float) -> str:
    """Return bytes per second as MB/s (10^6, as IMB and OSU print it) or GB/s."""
    if bytes_per_second >= 1e9:
        return f"{bytes_per_second / 1e9:.3g} GB/s"
    return f"{bytes_per_second / 1e6:.3g} MB/s"


def format_rate(bits_per_second: float) -> str:
    """Return bits per second as `1 Gbit/s`, `622 Mbit/s`; 0, which stands for no limit, as `unlimited`."""
    if math.isnan(bits_per_second):
        return "-"
    if bits_per_second == 0:
        return "unlimited"
    for unit, factor in (("Tbit/s", 1e12), ("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits_per_second >= 0.99995 * factor:  # what would print as 1000 of the smaller unit
            return f"{bits_per_second / factor:.4g} {unit}"
    return f"{bits_per_second:.4g} bit/s"


def format_share(share: float) -> str:
    """Return a share as a percentage with three significant digits: `0.01 %`."""
    return "-" if math.isnan(share) else f"{share * 100:.3g} %"


def short(text: str) -> str:
    """Return the text, or the beginning of a long one, for messages."""
    return text if len(text) <= 60 else f"{text[:50]}... ({len(text)} characters)"
