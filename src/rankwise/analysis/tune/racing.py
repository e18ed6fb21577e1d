"""Which algorithm a collective operation should use at which size: a race at each size, then few rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rankwise.analysis.tune.contest import Contest
from rankwise.analysis.tune.evidence import Rigour
from rankwise.analysis.tune.leaves import MOST_LEAVES, cover, reach, rules
from rankwise.analysis.tune.ledger import Ledger
from rankwise.analysis.tune.search import Trial
from rankwise.core.records import Cell, FloatArray, Launch
from rankwise.core.tuning import DEFAULT, Algorithm, Choice, Decision, Reason, Rule, Tuning
from rankwise.core.units import format_size


def choices_of(
    algorithms: Iterable[Algorithm], segments_bytes: Sequence[int] = (), fanouts: Sequence[int] = ()
) -> tuple[Choice, ...]:
    """Every algorithm with each segment size and fan-out that it takes, and with those it takes by itself."""
    return tuple(
        Choice(one.name, segment, fanout)
        for one in algorithms
        for segment in (0, *(segments_bytes if one.segments else ()))
        for fanout in (0, *(fanouts if one.fanout else ()))
    )


class AlgorithmSearch:
    """Races at a few sizes side by side, then between neighbouring sizes with different winners.

    At each size all placements count alike and together, since a decision cannot tell them apart.
    """

    def __init__(
        self,
        template: Cell,
        choices: Sequence[Choice],
        sizes_bytes: Sequence[int],
        placements: Sequence[str] = ("block",),
        rigour: Rigour | None = None,
        *,
        rounds: int = 32,
        grid: float = 2.0,
        most_leaves: int = MOST_LEAVES,
    ) -> None:
        """`template`: the operation as its benchmark, implementation, ranks, options and testbed.

        `rounds` is the budget of all races together; neighbouring sizes are looked between until they are
        less than `grid` apart.
        """
        self.subject = f"{template.benchmark} at {template.ranks} ranks"
        self._template, self._placements = template, tuple(placements)
        self._rigour = rigour or Rigour()
        self._rounds, self._grid, self._most_leaves = rounds, grid, most_leaves
        self._choices = {self._name(choice): choice for choice in choices if choice != Choice()}
        self._ledger = Ledger()
        self._races = {size: self._race(size, self._choices) for size in sorted(set(sizes_bytes))}
        self._asked: list[Cell] = []
        self._unusable: dict[str, str] = {}

    @property
    def launches(self) -> int:
        """Used so far; those shared with other searches count in full."""
        return self._ledger.launches.total()

    def ask(self) -> tuple[Trial, ...]:
        """The default and every choice that is still in a race somewhere, once for each placement."""
        self._asked = []
        if self._ledger.rounds >= self._rounds:
            return ()
        sizes: dict[str, list[int]] = {}
        for size, race in self._races.items():
            for name in race.wanted():
                sizes.setdefault(name, []).append(size)
        trials = []
        for placement in self._placements:
            for name, at in sorted(sizes.items(), key=lambda item: item[0] != DEFAULT):
                cells = tuple(self._cell(size, placement, name) for size in at)
                trials.append(Trial(name, self._tuning(name), cells))
                self._asked += cells
        return tuple(trials)

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take a round into account: some leave, some races end, and new sizes may come."""
        self._ledger.add(self._asked, launches)
        for race in self._races.values():
            if not race.closed:
                race.settle(self._ledger)
                self._unusable.update({name: why for name, why in race.out.items() if why.startswith("unusable")})
        for race in self._races.values():
            race.bar(self._unusable)
        self._refine()

    def best(self) -> Tuning:
        """The rules as they stand."""
        found = self._rules()
        decision = Decision(self._template.benchmark, self._template.ranks, found)
        return Tuning(decisions=(decision,)) if found else Tuning()

    def reasons(self) -> tuple[Reason, ...]:
        """The rules with their gains, and what could not be used."""
        found = self._rules()
        words = self._gains(found) if found else "left as it is: nothing is better for certain"
        unusable = "; ".join(f"{self._say(self._choices[name])} {why}" for name, why in self._unusable.items())
        sizes = f"raced at {len(self._races)} sizes, {len(self._choices)} choices"
        return (Reason(self.subject, "; ".join(filter(None, (words, unusable, sizes)))),)

    def exhaustive_launches(self) -> int:
        """Every choice as often as the most tried one, in each placement."""
        return max(self._ledger.launches.values(), default=0) * (len(self._choices) + 1)

    def _race(self, size_bytes: int, names: Iterable[str]) -> Contest:
        total = size_bytes * self._template.ranks  # what a segment cannot cut is no choice of its own
        useful = [name for name in names if self._choices[name].segment_bytes < max(total, 1)]
        cells = [self._cell(size_bytes, placement, "") for placement in self._placements]
        return Contest(cells, useful, self._rigour)

    def _cell(self, size_bytes: int, placement: str, name: str) -> Cell:
        return replace(self._template, size_bytes=size_bytes, placement=placement, profile=name)

    def _name(self, choice: Choice) -> str:
        """`bcast@4=binomial`, `bcast@4=pipeline/8192`: the profile that its cells carry."""
        parts = [choice.algorithm, *([str(choice.segment_bytes)] if choice.segment_bytes else [])]
        parts += [f"fan-out {choice.fanout}"] if choice.fanout else []
        return f"{self._template.benchmark}@{self._template.ranks}={'/'.join(parts)}"

    @staticmethod
    def _say(choice: Choice) -> str:
        segment = f" with segments of {format_size(choice.segment_bytes)}" if choice.segment_bytes else ""
        fanout = f" with fan-out {choice.fanout}" if choice.fanout else ""
        return f"{choice.algorithm or 'the default'}{segment}{fanout}"

    def _tuning(self, name: str) -> Tuning:
        if name == DEFAULT:
            return Tuning()
        rule = Rule(None, self._choices[name])
        return Tuning(decisions=(Decision(self._template.benchmark, self._template.ranks, (rule,)),))

    def _refine(self) -> None:
        """A new race between neighbours whose winners differ, if time is left for it to end.

        Only who was good at one of the two enters. Where one choice would do for both there is nothing to find.
        """
        if self._rounds - self._ledger.rounds < self._rigour.min_rounds:
            return
        sizes = sorted(self._races)
        for low, high in pairwise(sizes):
            middle = 2 ** round((math.log2(max(low, 1)) + math.log2(high)) / 2)
            if not low < middle < high or high / max(low, 1) <= self._grid:
                continue
            left, right = self._races[low], self._races[high]
            if left.closed and right.closed and self._differ(left, right):
                names = [*left.alive, *right.alive]
                self._races[middle] = self._race(middle, [name for name in self._choices if name in names])
                self._races[middle].bar(self._unusable)

    def _differ(self, left: Contest, right: Contest) -> bool:
        """No choice is good enough at both."""
        costs = self._costs((left, right))
        beyond = np.max(costs - np.min(costs, axis=0), axis=1)
        return not np.any(beyond <= self._rigour.margin)

    def _costs(self, races: Sequence[Contest]) -> FloatArray:
        """Logarithm of time over the default's for the default and each choice (rows) in each race (columns).

        What seems faster than the winner is not so for certain: it may take its place, but gains nothing by it.
        What seems slower than the default by more than half of delta must not be taken at all, or a fresh
        measurement may well find it slower.
        """
        costs = np.array([[race.cost(name, self._ledger) for race in races] for name in (DEFAULT, *self._choices)])
        least = [race.cost(race.winner(self._ledger), self._ledger) for race in races]
        return np.where(costs > self._rigour.margin / 2, np.inf, np.maximum(costs, least))

    def _rules(self) -> tuple[Rule, ...]:
        sizes = sorted(self._races)
        races = [self._races[size] for size in sizes]
        taken = cover(self._costs(races), self._rigour.margin, self._most_leaves)
        choices = [Choice(), *self._choices.values()]
        return rules(sizes, [choices[i] for i in taken])

    def _gains(self, found: Sequence[Rule]) -> str:
        """`up to 1 KiB binomial (0.61 times the default's time), above the default`."""
        said = []
        below = -1
        for rule in found:
            to = math.inf if rule.up_to_bytes is None else rule.up_to_bytes
            within = [race for size, race in self._races.items() if below < size <= to]
            gain = ""
            if rule.choice != Choice() and within:
                name = self._name(rule.choice)
                ratio = math.exp(float(np.mean([race.cost(name, self._ledger) for race in within])))
                gain = f" ({ratio:.2f} times the default's time)"
            said.append(f"{reach(rule)} {self._say(rule.choice)}{gain}")
            below = int(to) if math.isfinite(to) else below
        return ", ".join(said)
