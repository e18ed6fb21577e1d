"""From the best choice at each measured size to few rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise

import numpy as np

from rankwise.analysis.tune.choices import words_of
from rankwise.core.records import Cell, FloatArray
from rankwise.core.tuning import Choice, Decision, Rule, Tuning
from rankwise.core.units import at_most

MOST_RULES = 20
LAST_RANGE = 2
"""As far apart as neighbouring sizes are, once the sizes between them were tried too."""


def cover(costs: FloatArray, bound: float, most: int = MOST_RULES) -> list[int]:
    """Return which choice (row) to take at each size (column), in as few ranges of neighbouring sizes as possible.

    `costs` has shape (choices, sizes): logarithms of times, infinite where a choice must not be taken; each size
    has one that is finite. No size gets a choice that costs more than `bound` beyond its cheapest; among the
    coverings with the fewest ranges it is the cheapest. Should `most` not be enough, the bound is widened in
    steps of itself until it is.
    """
    beyond = costs - np.min(costs, axis=0)
    times = 1
    while True:
        taken = _fewest(np.where(beyond <= times * bound + 1e-12, beyond, np.inf))
        if len(list(groupby(taken))) <= most or not np.any(np.isfinite(beyond) & (beyond > times * bound + 1e-12)):
            return taken
        times += 1


def _fewest(allowed: FloatArray) -> list[int]:
    """Dynamic programming over sizes; (ranges, cost) of the best covering that ends with each choice."""
    choices, sizes = allowed.shape
    best: list[tuple[int, float]] = [(1, float(cost)) for cost in allowed[:, 0]]
    came_from: list[list[int]] = []
    for size in range(1, sizes):
        usable = [i for i in range(choices) if np.isfinite(best[i][1])]
        elsewhere = min(usable, key=lambda i: best[i])
        now: list[tuple[int, float]] = []
        before: list[int] = []
        for i in range(choices):
            switched = (best[elsewhere][0] + 1, best[elsewhere][1])
            stays = best[i] <= switched and np.isfinite(best[i][1])
            ranges, cost = best[i] if stays else switched
            now.append((ranges, cost + float(allowed[i, size])))
            before.append(i if stays else elsewhere)
        best = now
        came_from.append(before)
    usable = [i for i in range(choices) if np.isfinite(best[i][1])]
    taken = [min(usable, key=lambda i: best[i])]
    for before in reversed(came_from):
        taken.append(before[taken[-1]])
    return taken[::-1]


def rules_from_costs(
    sizes_bytes: Sequence[int],
    costs: FloatArray,
    choices: Sequence[Choice],
    bound: float,
    most: int,
    *,
    complete: bool,
) -> tuple[Rule, ...]:
    """Return the rules that cover `costs`, whose first row is the default (see `cover`, `complete_rules`).

    () where all is the default, or where `complete` has to do without it and some size has no other choice.
    """
    if not complete:
        return rules_of(sizes_bytes, [choices[i] for i in cover(costs, bound, most)])
    if sizes_without_choice(sizes_bytes, costs):
        return ()
    return complete_rules(sizes_bytes, [choices[i + 1] for i in cover(costs[1:], bound, most)])


def sizes_without_choice(sizes_bytes: Sequence[int], costs: FloatArray) -> list[int]:
    """Return the sizes at which nothing but the default, the first row, can be taken."""
    some = np.any(np.isfinite(costs[1:]), axis=0)
    return [size for size, found in zip(sizes_bytes, some, strict=True) if not found]


def rules_of(sizes_bytes: Sequence[int], choices: Sequence[Choice]) -> tuple[Rule, ...]:
    """Return rules that hold `choices[i]` at `sizes_bytes[i]`, ascending; () where all is the default.

    Where neighbours differ, what lies between them was not measured and is the default's. The largest size speaks
    for those up to LAST_RANGE times as large, which the validation measures; above is the default.
    """
    default = Choice()
    if all(choice == default for choice in choices):
        return ()
    found: list[Rule] = []
    for (size, choice), (after, following) in pairwise(zip(sizes_bytes, choices, strict=True)):
        if choice == following:
            continue
        if choice != default:
            found.append(Rule(size, choice))
        if following != default and (choice == default or after > size + 1):
            found.append(Rule(after - 1, default))
    if choices[-1] != default:
        found.append(Rule(LAST_RANGE * sizes_bytes[-1], choices[-1]))
    return (*found, Rule(None, default))


def complete_rules(sizes_bytes: Sequence[int], choices: Sequence[Choice]) -> tuple[Rule, ...]:
    """Return the same where no size can be left to the default: what lies between neighbours is the larger's.

    The last choice holds for all larger sizes, of which nothing is known.
    """
    found = [
        Rule(size, one)
        for size, one, after in zip(sizes_bytes, choices, choices[1:], strict=False)
        if one != after
    ]
    return (*found, Rule(None, choices[-1]))


def sizes_between(low_bytes: int, high_bytes: int, step: float) -> list[int]:
    """Return the powers of two that part two sizes evenly, into the fewest steps of at most `step` times."""
    octaves = math.log2(high_bytes) - math.log2(max(low_bytes, 1))
    steps = math.ceil(octaves / math.log2(step) - 1e-9)
    found = {1 << round(math.log2(max(low_bytes, 1)) + octaves * i / steps) for i in range(1, steps)}
    return sorted(size for size in found if low_bytes < size < high_bytes)


def rule_at(tuning: Tuning, operation: str, ranks: int, size_bytes: int) -> tuple[Decision, Rule] | None:
    """Return the rule that holds for a size, and its decision; None where no decision is about it."""
    for decision in tuning.decisions:
        if (decision.operation, decision.ranks) == (operation, ranks):
            for rule in decision.rules:
                if rule.up_to_bytes is None or size_bytes <= rule.up_to_bytes:
                    return decision, rule
    return None


def choice_at(tuning: Tuning, cell: Cell) -> Choice:
    """Return how this cell is done; the default where no decision is about it."""
    found = rule_at(tuning, cell.benchmark, cell.ranks, cell.size_bytes)
    return found[1].choice if found else Choice()


def range_words(rule: Rule) -> str:
    """Say which sizes a rule is for: `up to 4 KiB`, `below 1 MiB`, `above`."""
    return "above" if rule.up_to_bytes is None else at_most(rule.up_to_bytes)


def gains_words(rules: Sequence[Rule], log_ratios: Callable[[Choice, float, float], Sequence[float]]) -> str:
    """Say what the rules gain: `up to 1 KiB binomial (0.61 times the default's time), above the default`.

    `log_ratios` gives those of a choice to the default, at the sizes above its second argument up to its third.
    """
    said = []
    below = -1.0
    for rule in rules:
        to = math.inf if rule.up_to_bytes is None else float(rule.up_to_bytes)
        found = log_ratios(rule.choice, below, to) if rule.choice != Choice() else ()
        gain = f" ({math.exp(float(np.mean(found))):.2f} times the default's time)" if found else ""
        sizes = range_words(rule) if len(rules) > 1 else "at every size"
        said.append(f"{sizes} {words_of(rule.choice)}{gain}")
        below = to if math.isfinite(to) else below
    return ", ".join(said)
