"""Profiles in words and numbers: what a decision says, and what the verdicts come to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rankwise.core import knobs
from rankwise.core.host_settings import MTU, setting
from rankwise.core.results import Verdict, VerdictWord
from rankwise.core.tuning import Choice, Decision, Part, Profile, Setting, Tuning
from rankwise.core.units import exact_size, sizes_between, whole_number


@dataclass(frozen=True, slots=True)
class Gain:
    """Cells of one kind taken together."""

    cells: int
    faster: int
    slower: int
    equivalent: int
    probably_faster: int
    probably_slower: int
    ratio: float
    """Geometric mean of tuned over default time; NaN without cells."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring sizes of one operation with the same verdict."""

    benchmark: str
    ranks: int
    placement: str
    low_bytes: int
    high_bytes: int
    verdict: VerdictWord
    least_ratio: float
    greatest_ratio: float
    """Tuned over default time: the best and the worst of these sizes."""


def gain(verdicts: Iterable[Verdict]) -> Gain:
    """Return what these cells come to."""
    cells = list(verdicts)
    outcomes = [verdict.verdict for verdict in cells]
    logarithms = [math.log(verdict.ratio) for verdict in cells if verdict.ratio > 0]
    mean = math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan
    return Gain(
        len(cells), outcomes.count("faster"), outcomes.count("slower"), outcomes.count("equivalent"),
        outcomes.count("probably faster"), outcomes.count("probably slower"), mean,
    )  # fmt: skip


def faster_words(summary: Gain) -> str:
    """Count what is faster: `12 of 20 cells faster and 3 probably`."""
    if summary.probably_faster and not summary.faster:
        return f"{summary.probably_faster} of {summary.cells} cells probably faster"
    probably = f" and {summary.probably_faster} probably" if summary.probably_faster else ""
    return f"{summary.faster} of {summary.cells} cells faster{probably}"


def slower_words(summary: Gain) -> str:
    """Count what is slower: `1 slower and 2 probably slower`; '' for none."""
    counts = {"slower": summary.slower, "probably slower": summary.probably_slower}
    return " and ".join(f"{count} {word}" for word, count in counts.items() if count)


def gain_words(summary: Gain) -> str:
    """Summarise a gain: `12 of 20 cells faster, none slower; time × 0.74 in the mean`."""
    if not summary.cells:
        return "not measured against the default"
    slower = slower_words(summary) or "none slower"
    return f"{faster_words(summary)}, {slower}; time × {summary.ratio:.3g} in the mean"


def gain_of_part(part: Part) -> str:
    """Return the same for a part, with the gain that tuning showed: for an application that is a weighted one."""
    summary = gain(part.verdicts)
    if part.tuning == Tuning():
        return "nothing is set: all is as by default"
    if part.gain is None or not part.gain.cells:
        return gain_words(summary)
    mean = part.gain
    weighted = ", weighted by what the application does" if mean.weighted else ""
    return (
        gain_words(replace(summary, ratio=mean.ratio))
        + f" ({mean.ratio_low:.3g} to {mean.ratio_high:.3g}){weighted}"
    )


def stretches(verdicts: Sequence[Verdict]) -> tuple[Stretch, ...]:
    """Return the verdicts by operation, ranks and placement, ascending in size, neighbours of one kind merged."""
    merged = []
    ordered = sorted(
        verdicts, key=lambda verdict: (verdict.benchmark, verdict.ranks, verdict.placement, verdict.size_bytes)
    )
    for key, same in groupby(
        ordered, key=lambda verdict: (verdict.benchmark, verdict.ranks, verdict.placement, verdict.verdict)
    ):
        cells = list(same)
        ratios = [verdict.ratio for verdict in cells]
        merged.append(
            Stretch(*key[:3], cells[0].size_bytes, cells[-1].size_bytes, key[3], min(ratios), max(ratios))
        )
    return tuple(merged)


def sizes_words(stretch: Stretch) -> str:
    """Format sizes: `1 KiB`, or `1 KiB to 4 MiB`."""
    low, high = exact_size(stretch.low_bytes), exact_size(stretch.high_bytes)
    return low if low == high else f"{low} to {high}"


def ratio_words(stretch: Stretch) -> str:
    """Format ratios: `× 0.61`, or `× 0.53 to 0.81`."""
    least, greatest = f"{stretch.least_ratio:.3g}", f"{stretch.greatest_ratio:.3g}"
    return f"× {least}" if least == greatest else f"× {least} to {greatest}"


def value_words(setting: Setting) -> str:
    """Return the value as people read it: sizes with their unit where this is exact."""
    number = whole_number(setting.value) if knobs.described(setting.knob).unit == "bytes" else None
    return setting.value if number is None else exact_size(number)


def choice_words(choice: Choice) -> str:
    """Describe a choice: `pipeline, segments of 64 KiB, fan-out 4`."""
    parts = [choice.algorithm or "as by default"]
    if choice.segment_bytes:
        parts.append(f"segments of {exact_size(choice.segment_bytes)}")
    if choice.fanout:
        parts.append(f"fan-out {choice.fanout}")
    return ", ".join(parts)


def decision_words(decision: Decision) -> tuple[tuple[str, str], ...]:
    """Return (sizes, choice) of each rule: `up to 4 KiB`, `above 4 KiB up to 1 MiB`, `above 1 MiB`, `any size`."""
    belows = [None, *(rule.up_to_bytes for rule in decision.rules)]
    return tuple(
        (sizes_between(below, rule.up_to_bytes), choice_words(rule.choice))
        for below, rule in zip(belows, decision.rules, strict=False)
    )


def host_settings(profile: Profile) -> dict[str, str]:
    """Merge the hosts' settings of all parts: the larger numbers where they differ, else the first."""
    merged: dict[str, str] = {}
    for part in profile.parts:
        for key, value in part.tuning.host_settings:
            merged[key] = _larger(merged[key], value) if key in merged else value
    return dict(sorted(merged.items()))


def sysctls(profile: Profile) -> dict[str, str]:
    """Return those of them that sysctl knows."""
    return {key: value for key, value in host_settings(profile).items() if setting(key).form == "sysctl"}


def mtu(profile: Profile) -> str:
    """Return what the hosts' NICs are to have, in bytes; '' where the profile leaves them alone."""
    return host_settings(profile).get(MTU, "")


def _larger(value: str, other: str) -> str:
    left, right = ([whole_number(word) for word in text.split()] for text in (value, other))
    if len(left) != len(right) or None in (*left, *right):
        return value
    return " ".join(str(max(a or 0, b or 0)) for a, b in zip(left, right, strict=True))
