"""From what the default and each choice cost at each measured size to few rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from rankwise.analysis.tune.choices import words_of
from rankwise.analysis.tune.race import Race
from rankwise.core.records import DEFAULT, FloatArray
from rankwise.core.schedule_names import chosen_schedule
from rankwise.core.tuning import Choice, Rule
from rankwise.core.units import sizes_between as range_words
from rankwise.stats.covering import cover

LAST_RANGE = 2
"""As far apart as neighbouring sizes are, once the sizes between them were tried too."""


def costs_of(races: Sequence[Race], names: Sequence[str], margin: float, *, certain: bool = True) -> FloatArray:
    """Return logarithms of times over the default's, shape (1 + names, races); the default comes first.

    What seems slower than the default by more than half of `margin` costs infinity: a fresh measurement may well
    find it slower. What seems faster than the selected one gains nothing by it (`certain` False: as it seems).
    """
    costs = np.array([[race.log_ratio(name) for race in races] for name in (DEFAULT, *names)])
    if certain:
        costs = np.maximum(costs, [race.log_ratio(race.selected()) for race in races])
    return np.where(costs > margin / 2, np.inf, costs)


def have_different_winners(costs: FloatArray, margin: float) -> bool:
    """Return whether some choice is faster than the default somewhere, and none is good enough at all sizes."""
    beyond = np.max(costs - np.min(costs, axis=0), axis=1)
    return bool(np.min(costs) < -margin and not np.any(beyond <= margin))


def near_best(costs: FloatArray, margin: float) -> list[bool]:
    """Return for each row whether it is within `margin` of the best at some size."""
    within = np.isfinite(costs) & (costs <= np.min(costs, axis=0) + margin)
    return [bool(is_near) for is_near in np.any(within, axis=1)]


def candidates_near_best(race: Race, margin: float) -> list[str]:
    """Return the candidates of a race within `margin` of its best, the default included."""
    least = min(map(race.log_ratio, (DEFAULT, *race.candidates)))
    return [name for name in race.candidates if race.log_ratio(name) - least <= margin]


def rules_from_costs(
    sizes_bytes: Sequence[int], costs: FloatArray, choices: Sequence[Choice], bound: float, *, complete: bool
) -> tuple[Rule, ...]:
    """Return the rules that cover `costs`, whose first row is the default (see `cover`, `complete_rules`).

    () where all is the default. Where `complete` has to do without it and some size has no other choice, only
    schedules can be chosen: they are done outside of the tables that have to be complete.
    """
    if complete and not sizes_without_choice(sizes_bytes, costs):
        return complete_rules(sizes_bytes, [choices[i + 1] for i in cover(costs[1:], bound)])
    rows = [i for i, choice in enumerate(choices) if not complete or choice == Choice() or chosen_schedule(choice)]
    return rules_of(sizes_bytes, [choices[rows[i]] for i in cover(costs[rows], bound)])


def sizes_without_choice(sizes_bytes: Sequence[int], costs: FloatArray) -> list[int]:
    """Return the sizes at which nothing but the default, the first row, can be taken."""
    some = np.any(np.isfinite(costs[1:]), axis=0)
    return [size for size, has_choice in zip(sizes_bytes, some, strict=True) if not has_choice]


def rules_of(sizes_bytes: Sequence[int], choices: Sequence[Choice]) -> tuple[Rule, ...]:
    """Return rules that hold `choices[i]` at `sizes_bytes[i]`, ascending; () where all is the default.

    What lies between a choice and the default was not measured and is the default's; between two choices each has
    its half, whose ends the validation measures. The largest size speaks for those up to LAST_RANGE times as
    large, which the validation measures too; above is the default.
    """
    default = Choice()
    if all(choice == default for choice in choices):
        return ()
    rules: list[Rule] = []
    for (size, choice), (after, following) in pairwise(zip(sizes_bytes, choices, strict=True)):
        if choice == following:
            continue
        if default not in (choice, following):
            rules.append(Rule(math.isqrt(size * after), choice))
        else:
            rules.append(Rule(size, choice) if choice != default else Rule(after - 1, default))
    if choices[-1] != default:
        rules.append(Rule(LAST_RANGE * sizes_bytes[-1], choices[-1]))
    return (*rules, Rule(None, default))


def complete_rules(
    sizes_bytes: Sequence[int], choices: Sequence[Choice], *, in_the_middle: bool = False
) -> tuple[Rule, ...]:
    """Return the same where no size can be left to the default: what lies between neighbours is the larger's.

    `in_the_middle`: or each has its half of it. The last choice holds for all larger sizes, of which nothing is
    known.
    """
    rules = [
        Rule(math.isqrt(size * after) if in_the_middle else size, choice)
        for (size, choice), (after, following) in pairwise(zip(sizes_bytes, choices, strict=True))
        if choice != following
    ]
    return (*rules, Rule(None, choices[-1]))


def sizes_between(low_bytes: int, high_bytes: int, step: float) -> list[int]:
    """Return the powers of two that part two sizes evenly, into the fewest steps of at most `step` times."""
    octaves = math.log2(high_bytes) - math.log2(max(low_bytes, 1))
    steps = math.ceil(octaves / math.log2(step) - 1e-9)
    sizes = {1 << round(math.log2(max(low_bytes, 1)) + octaves * i / steps) for i in range(1, steps)}
    return sorted(size for size in sizes if low_bytes < size < high_bytes)


def gains_words(
    rules: Sequence[Rule], sizes_bytes: Sequence[int], log_ratio: Callable[[Choice, int], float]
) -> str:
    """Say what the rules gain, by `log_ratio` of a choice at a size: `up to 1 KiB ring (0.61 times ...)`."""
    said = []
    below: int | None = None
    for rule in rules:
        to = math.inf if rule.up_to_bytes is None else rule.up_to_bytes
        own = [size for size in sizes_bytes if (-1 if below is None else below) < size <= to]
        ratios = [log_ratio(rule.choice, size) for size in own if rule.choice != Choice()]
        gain = f" ({math.exp(float(np.mean(ratios))):.2f} times the default's time)" if ratios else ""
        where = range_words(below, rule.up_to_bytes) if len(rules) > 1 else "at every size"
        said.append(f"{where} {words_of(rule.choice)}{gain}")
        below = rule.up_to_bytes
    return ", ".join(said)


def bias_words(races: Iterable[Race]) -> str:
    """Say so where the default's two arms differ; '' where they are not shown to."""
    bias = 100 * math.expm1(max((race.bias() for race in races), default=0.0))
    text = f"the default, measured twice in each launch, differs from itself by {bias:.0f} %"
    return f"{text}, and only gains beyond that count" if bias else ""
