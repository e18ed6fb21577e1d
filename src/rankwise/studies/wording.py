"""Numbers and names in sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from rankwise.core.results import SwitchPoint
from rankwise.core.units import format_duration, format_size
from rankwise.studies.base import StatementVerdict
from rankwise.studies.ranges import Range

NOT_MEASURED = "Not measured."
Words = Callable[[float], str]


def microseconds(seconds: float) -> str:
    """Format a latency: `46 µs`, `5818 µs`, whole from ten on, as the papers print latencies."""
    value = seconds * 1e6
    return f"{value:.0f} µs" if abs(value) >= 10 else f"{value:.1f} µs"


def added_microseconds(seconds: float) -> str:
    """Return a difference with its sign: `+5.2 µs`."""
    return ("+" if seconds >= 0 else "−") + microseconds(abs(seconds))


def megabits(bits_per_second: float) -> str:
    """Format a bandwidth: `940 Mbit/s`."""
    value = bits_per_second / 1e6
    return f"{value:.0f} Mbit/s" if value >= 9.95 else f"{value:.1f} Mbit/s"


def megabytes(bytes_per_second: float) -> str:
    """Format a bandwidth in 10^6 bytes: `56.9 MB/s`."""
    value = bytes_per_second / 1e6
    return f"{value:.1f} MB/s" if value >= 9.95 else f"{value:.2f} MB/s"


def milliseconds(seconds: float) -> str:
    """Format a time: `0.91 ms`."""
    return f"{seconds * 1e3:.2f} ms"


def spell_seconds(seconds: float) -> str:
    """Format a duration: `0.35 s`, `5 s`; `never` for infinity."""
    if math.isinf(seconds):
        return "never"
    return f"{seconds:.2g} s" if seconds < 9.5 else format_duration(seconds)


def ratio(value: float) -> str:
    """Format a ratio: `4.4 times`."""
    return f"{value:.3g} times"


def percent(value: float) -> str:
    """Format a share: `80 %`."""
    return f"{value * 100:.0f} %"


def launches(count: int) -> str:
    """Return `1 launch`, `2 launches`."""
    return f"{count} launch" + ("es" if count != 1 else "")


def size(size_bytes: float) -> str:
    """Return a size that was interpolated: two digits."""
    if size_bytes < 1024:
        return format_size(float(f"{size_bytes:.2g}"))
    unit, name = (1 << 20, "MiB") if size_bytes >= 1 << 20 else (1 << 10, "KiB")
    value = size_bytes / unit
    return f"{value:.2g} {name}" if value < 99.5 else f"{value:.0f} {name}"


def jump(point: SwitchPoint) -> str:
    """Format a jump and its place: `64 KiB – 128 KiB: 1.3 times`."""
    return f"{format_size(point.below_bytes)} – {format_size(point.at_bytes)}: {ratio(point.jump_ratio)}"


def with_interval(estimate: Range, formatter: Words) -> str:
    """Format a value with its interval: `46 µs [45, 47]`; `–` for what was not measured."""
    if not estimate.launches or math.isnan(estimate.value):
        return "–"
    value = formatter(estimate.value)
    if estimate.launches == 1:
        return f"{value} [one launch]"
    ends = [formatter(end) for end in (estimate.low, estimate.high)]
    unit = value.rpartition(" ")[2]
    if all(end.endswith(f" {unit}") for end in ends):
        ends = [end.removesuffix(f" {unit}") for end in ends]
    return f"{value} [{', '.join(ends)}]"


def listed(parts: list[str]) -> str:
    """Join names: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def by_verdict(verdicts: Mapping[str, StatementVerdict], texts: Mapping[str, str]) -> str:
    """Return `True of A (1 µs) and B (2 µs); not true of C (9 µs).` Each text begins with the name."""
    if not verdicts:
        return NOT_MEASURED
    heads: dict[StatementVerdict, str] = {
        "holds": "true of", "no longer": "not true of", "undecided": "undecided for"
    }  # fmt: skip
    parts = []
    for verdict, head in heads.items():
        own = [texts[name] for name, judged in verdicts.items() if judged == verdict]
        if own:
            parts.append(f"{head} {listed(own)}")
    said = "; ".join(parts)
    return said[0].upper() + said[1:] + "."
