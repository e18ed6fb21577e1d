"""Patterns of concurrent messages: as benchmarks of the harness, and as the text that the simulator reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rankwise.core.errors import InputError
from rankwise.core.limits import checked_ranks
from rankwise.core.units import short

PREFIX = "pattern:"
_FLOW = re.compile(r"([0-9]{1,18})-([0-9]{1,18})(?:-([0-9]{1,18})(?:-([0-9]{1,18}))?)?")


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """One message, from a rank to another, that starts at its own moment after the common start."""

    source: int
    target: int
    bytes: int
    start_seconds: float = 0.0


Pattern = tuple[Flow, ...]


def benchmark_of(pattern: Iterable[Flow]) -> str:
    """Return the benchmark that measures the pattern: its name says all of it, starts to the microsecond."""
    messages = []
    for flow in pattern:
        start = f"-{round(flow.start_seconds * 1e6)}" if flow.start_seconds else ""
        messages.append(f"{flow.source}-{flow.target}-{flow.bytes}{start}")
    return PREFIX + "+".join(messages)


def is_pattern(benchmark: str) -> bool:
    """Return whether this benchmark is a pattern of concurrent messages."""
    return benchmark.startswith(PREFIX)


def pattern_of(benchmark: str, size_bytes: int = 0) -> Pattern:
    """Return the flows of such a benchmark; those without bytes have `size_bytes`. Raises InputError."""
    messages = benchmark.removeprefix(PREFIX).split("+")
    matches = [_FLOW.fullmatch(word) for word in messages]
    flows = tuple(
        Flow(int(match[1]), int(match[2]), int(match[3] or size_bytes), int(match[4] or 0) / 1e6)
        for match in matches
        if match and match[1] != match[2]
    )
    if not is_pattern(benchmark) or len(flows) < len(messages):
        raise InputError(
            f"'{short(benchmark)}' is not a valid pattern",
            "write pattern:FROM-TO[-BYTES[-START_MICROSECONDS]]+FROM-TO...",
        )
    checked_ranks(ranks_of(flows))
    return flows


def ranks_of(pattern: Iterable[Flow]) -> int:
    """Return how many ranks the pattern takes: one more than its highest."""
    return 1 + max((max(flow.source, flow.target) for flow in pattern), default=-1)


def text_of(pattern: Iterable[Flow]) -> str:
    """Return the pattern as `rankwise-sim` reads it: `from to bytes start` a line, the start in seconds."""
    return "".join(
        f"{flow.source} {flow.target} {flow.bytes} {flow.start_seconds:.9g}\n" for flow in pattern
    )  # fmt: skip
