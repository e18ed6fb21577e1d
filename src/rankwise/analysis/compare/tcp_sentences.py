"""What a comparison says of TCP, in words: MPI's overhead over it, and how fast streams over it grow."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from rankwise.analysis import labels
from rankwise.core.records import Options
from rankwise.core.results import Comparison, Overhead, Reached, StreamCurve
from rankwise.core.units import format_rate, format_size, format_time
from rankwise.stats.intervals import MIN_FOR_RATIO

_SHOWN_GROUPS = 2
_Way = tuple[int, Options, str]


def tcp_sentences(comparison: Comparison) -> list[str]:
    """Say the overheads at the smallest and the largest size, then when streams came to speed, if measured."""
    settings = [(curve.options, curve.placement) for curve in comparison.curves]
    settings += [(stream.cell.options, stream.cell.placement) for stream in comparison.streams]
    several = labels.varied(settings)
    by_way: defaultdict[_Way, list[Overhead]] = defaultdict(list)
    for overhead in comparison.overheads:
        if overhead.launches >= MIN_FOR_RATIO:
            by_way[overhead.ranks, overhead.options, overhead.placement].append(overhead)
    said = [_overhead(way, overheads, several) for way, overheads in list(by_way.items())[:_SHOWN_GROUPS]]
    by_stream: defaultdict[tuple[int, _Way], list[StreamCurve]] = defaultdict(list)
    for stream in comparison.streams:
        cell = stream.cell
        if stream.launches >= MIN_FOR_RATIO:
            by_stream[cell.size_bytes, (cell.ranks, cell.options, cell.placement)].append(stream)
    for (size_bytes, way), streams in list(by_stream.items())[:_SHOWN_GROUPS]:
        said += _stream(f"Streams of {format_size(size_bytes)} messages{_setting(way, several)}", streams)
    return said


def _setting(way: _Way, several: frozenset[str]) -> str:
    ranks, options, placement = way
    return f" ({', '.join([f'{ranks} ranks', *labels.words(options, placement, several)])})"


def _overhead(way: _Way, overheads: Sequence[Overhead], several: frozenset[str]) -> str:
    """`MPI's ping-pong over that of raw TCP (2 ranks): at 1 B +5.1 us (+4.9 us to +5.3 us) with mpich; ...`."""
    sizes = sorted({overhead.size_bytes for overhead in overheads})
    parts = []
    for size_bytes, text_of in dict.fromkeys(((sizes[0], _difference), (sizes[-1], _ratio))):
        here = sorted(
            (overhead for overhead in overheads if overhead.size_bytes == size_bytes),
            key=lambda overhead: overhead.ratio,
        )
        shown = [f"{text_of(overhead)} with {overhead.implementation}" for overhead in here if _is_shown(overhead)]
        level = [overhead.implementation for overhead in here if not _is_shown(overhead)]
        ends = [" to ".join(shown[:: len(shown) - 1] if len(shown) > 1 else shown)] if shown else []
        ends += [f"no difference shown with {', '.join(level)}"] if level else []
        parts.append(f"at {format_size(size_bytes)} {', '.join(ends)}")
    return f"MPI's ping-pong over that of raw TCP{_setting(way, several)}: {'; '.join(parts)}."


def _is_shown(overhead: Overhead) -> bool:
    return overhead.ratio_low > 1 or overhead.ratio_high < 1


def _difference(overhead: Overhead) -> str:
    return (
        f"{signed_time(overhead.difference_seconds)} "
        f"({signed_time(overhead.difference_low_seconds)} to {signed_time(overhead.difference_high_seconds)})"
    )


def _ratio(overhead: Overhead) -> str:
    return (
        f"{ratio_words(overhead.ratio)} "
        f"({ratio_words(overhead.ratio_low)}-{ratio_words(overhead.ratio_high)}) times its time"
    )


def ratio_words(ratio: float) -> str:
    """Format with two decimals, or three about 1, where the delay leaves little to MPI: `1.30`, `1.004`."""
    return f"{ratio:.3f}" if abs(ratio - 1) < 0.1 else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.3g}"


def signed_time(seconds: float) -> str:
    """Format a difference of times: `+5.1 us`, `-3 ns`."""
    return f"{'-' if seconds < 0 else '+'}{format_time(abs(seconds))}"


def _stream(whose: str, streams: Sequence[StreamCurve]) -> list[str]:
    """One sentence for the bandwidth asked for, one for the share of each stream's own maximum."""
    said = []
    for place, reached in enumerate(streams[0].reached):
        goal = f"{reached.share:.0%} of their maximum" if reached.share else format_rate(reached.bits_per_second)
        ranking = sorted(streams, key=lambda stream: stream.reached[place].seconds)
        parts = [f"{_when(stream.reached[place])} with {_who(stream, place)}" for stream in ranking]
        said.append(f"{whose} come to {goal}: {'; '.join(parts)}.")
    return said


def _when(reached: Reached) -> str:
    if reached.seconds == float("inf"):
        return "never"
    if math.isnan(reached.low_seconds):
        return f"after {format_time(reached.seconds)}"
    ends = f"{format_time(reached.low_seconds)} to "
    ends += format_time(reached.high_seconds) if reached.high_seconds < float("inf") else "never"
    return f"after {format_time(reached.seconds)} ({ends})"


def _who(stream: StreamCurve, place: int) -> str:
    reached = stream.reached[place]
    most = f" ({format_rate(reached.bits_per_second / reached.share)})" if reached.share else ""
    return ("raw TCP" if stream.category == "baseline" else stream.cell.variant) + most
