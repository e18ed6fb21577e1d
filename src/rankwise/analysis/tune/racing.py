"""Which algorithm a collective operation should use at which size: races at all sizes at once, then few rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

import numpy as np

from rankwise.analysis.tune.contest import FAR_BEHIND, FEW_ROUNDS, Contest
from rankwise.analysis.tune.evidence import Rigour
from rankwise.analysis.tune.forms import first_forms, name_of, useful, words_of
from rankwise.analysis.tune.leaves import MOST_LEAVES, between, decided, reach, without_choice
from rankwise.analysis.tune.ledger import Ledger
from rankwise.analysis.tune.search import Trial
from rankwise.core.records import DEFAULT, Cell, FloatArray, Launch
from rankwise.core.tuning import Choice, ChoiceScope, Decision, Reason, Rule, Tuning
from rankwise.core.units import format_size

MOST_ROUNDS = 8
"""Of one race: a gain that so many launches cannot show for certain is not worth more of them."""

Sizes = tuple[int, ...]
"""What one race is about: a single size, or all of them."""


class AlgorithmSearch:
    """Races at a few sizes side by side, and between neighbouring sizes where they seem to have different winners.

    One launch holds as many algorithms as there are sizes, each at its own, so a round takes as many launches as
    the fullest race has candidates, and the default. At each size all placements count together, since a decision
    cannot tell them apart; what seems slower in one of them is not chosen.

    Of each algorithm one form is tried first; its other segment sizes and fan-outs join after a few rounds, if it
    is not behind by then.
    """

    def __init__(
        self,
        template: Cell,
        choices: Sequence[Choice],
        sizes_bytes: Sequence[int],
        placements: Sequence[str] = ("block",),
        rigour: Rigour | None = None,
        *,
        grain: ChoiceScope = "by size",
        calls: Sequence[float] = (),
        after: Sequence[AlgorithmSearch] = (),
        rounds: int = 12,
        grid: float = 4.0,
        most_leaves: int = MOST_LEAVES,
    ) -> None:
        """`template`: the operation as its benchmark, implementation, ranks, options and testbed.

        `calls`: how often messages of each of the sizes come, which matters where one choice has to do for all.
        `after`: searches at other numbers of ranks that came first; what was far behind everywhere there is
        not tried here. `rounds` is the budget of all races together; sizes are put between neighbours until these
        are no more than `grid` apart.
        """
        self.subject = f"{template.benchmark} at {template.ranks} ranks"
        self.finished = False
        """Whether it had no question left when it was asked last."""
        self.launches = 0
        """Used so far; those shared with other searches count in full."""
        self._template, self._placements = template, tuple(placements)
        self._rigour = replace(rigour or Rigour(), max_rounds=min((rigour or Rigour()).max_rounds, MOST_ROUNDS))
        self._grain, self._after = grain, tuple(after)
        self._rounds, self._grid, self._most_leaves = rounds, grid, most_leaves
        self._choices = {self._name(choice): choice for choice in choices if choice != Choice()}
        self._offered = len(self._choices)
        calls_at = dict(zip(sizes_bytes, calls, strict=True)) if calls else {}
        self._sizes = sorted(set(sizes_bytes))
        self._calls = [calls_at[size] for size in self._sizes] if calls else []
        self._ledger = Ledger()
        self._races: dict[Sizes, Contest] = {}
        self._asked: list[Cell] = []
        self._trials = 0
        self._unusable: dict[str, str] = {}

    def ask(self) -> tuple[Trial, ...]:
        """The default, and launches in which every choice that is still in a race somewhere has its turn."""
        self._asked = []
        if not self._ledger.rounds:
            self._begin()  # again, if it was only asked how much there will be to do: by now more is known
        trials = []
        if self._ledger.rounds < self._rounds:
            turns = [[(sizes, name) for name in race.wanted()] for sizes, race in self._races.items()]
            for placement in self._placements:
                lanes = [*zip_longest(*turns)]
                for lane in [*lanes, *lanes[:1] * self._again(len(lanes))]:
                    names = {size: turn[1] for turn in lane if turn for size in turn[0]}
                    cells = tuple(self._cell(size, placement, name) for size, name in sorted(names.items()))
                    trials.append(Trial(self._title(names), self._tuning(names), cells))
                    self._asked += cells
        self.finished = not trials
        self._trials = len(trials)
        return tuple(trials)

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take a round into account: some leave, some races end, and new forms and sizes may come."""
        if not self._asked:
            return
        self.launches += self._trials
        self._ledger.add(self._asked, launches)
        for race in self._races.values():
            if not race.closed:
                race.settle(self._ledger)
                self._unusable.update({name: why for name, why in race.out.items() if why.startswith("unusable")})
        for race in self._races.values():
            race.bar(self._unusable)
        for sizes, race in self._races.items():
            if race.rounds == FEW_ROUNDS:
                race.enter(self._other_forms(sizes, race))
        if self._grain != "one for all sizes":
            self._refine()

    def best(self) -> Tuning:
        """Return the rules as they stand."""
        found = self._rules()
        decision = Decision(self._template.benchmark, self._template.ranks, found)
        return Tuning(decisions=(decision,)) if found else Tuning()

    def reasons(self) -> tuple[Reason, ...]:
        """Return the rules with their gains, and what could not be used."""
        if not self._ledger.rounds:
            return (Reason(self.subject, "left as it is: the time was over before it was tried"),)
        found = self._rules()
        words = self._gains(found) if found else f"left as it is: {self._why_not()}"
        unusable = "; ".join(f"{words_of(self._choices[name])} {why}" for name, why in self._unusable.items())
        first = f" that were not far behind at {self._after[-1].ranks} ranks" if self._earlier() else ""
        sizes = f"raced at {len(self._measured_sizes())} sizes, {len(self._choices)} choices{first}"
        cut = "" if self.finished else f"cut short after {self._ledger.rounds} rounds: the time was over"
        return (Reason(self.subject, "; ".join(filter(None, (words, unusable, sizes, cut)))),)

    def exhaustive_launches(self) -> int:
        """Return every choice as often as the most tried one, in each placement; so too at the ranks before."""
        before = max((one.exhaustive_launches() for one in self._after), default=0)
        return before + max(self._ledger.launches.values(), default=0) * (self._offered + 1)

    @property
    def ranks(self) -> int:
        """Of the communicators that it is about."""
        return self._template.ranks

    def promising(self) -> set[str]:
        """Algorithms that were not far behind the best, the default included, at some size."""
        found = set()
        for race in self._races.values():
            estimates = {name: race.estimate(name, self._ledger, 1) for name in (DEFAULT, *race.candidates)}
            least = min(estimates.values())
            found |= {name for name, one in estimates.items() if one - least <= FAR_BEHIND}
        return {self._choices[name].algorithm for name in found - {DEFAULT} - set(self._unusable)}

    def _begin(self) -> None:
        self._races = {}
        if earlier := self._earlier():
            kept = earlier.promising()
            self._choices = {name: one for name, one in self._choices.items() if one.algorithm in kept}
        groups = [tuple(self._sizes)] if self._grain == "one for all sizes" else [(size,) for size in self._sizes]
        for sizes in groups:
            self._races[sizes] = self._race(sizes, first_forms([*self._choices.values()], max(sizes)))

    def _earlier(self) -> AlgorithmSearch | None:
        """The same operation at another number of ranks, if it was measured there."""
        same = [
            one for one in self._after
            if one._template.benchmark == self._template.benchmark and one._ledger.rounds
        ]  # fmt: skip
        return same[-1] if same else None

    def _race(self, sizes: Sizes, choices: Iterable[Choice]) -> Contest:
        cells = [self._cell(size, placement, "") for placement in self._placements for size in sizes]
        calls = self._calls * len(self._placements) if len(sizes) > 1 else ()
        race = Contest(
            cells, map(self._name, choices), self._rigour, calls, stand_in=self._grain == "complete", harmless=True
        )  # fmt: skip
        race.bar(self._unusable)
        return race

    def _other_forms(self, sizes: Sizes, race: Contest) -> list[str]:
        """Of the algorithms that are among the best so far."""
        estimates = {name: race.estimate(name, self._ledger) for name in race.candidates}
        least = min(0.0, *estimates.values())
        among = {self._choices[name].algorithm for name, one in estimates.items() if one - least <= FAR_BEHIND / 2}
        forms = [one for one in useful(self._choices.values(), max(sizes)) if one.algorithm in among]
        return [name for name in map(self._name, forms) if name not in self._unusable]

    def _cell(self, size_bytes: int, placement: str, name: str) -> Cell:
        return replace(self._template, size_bytes=size_bytes, placement=placement, label=name)

    def _name(self, choice: Choice) -> str:
        """`bcast@4=pipeline/8192`: the profile that its cells carry."""
        return f"{self._template.benchmark}@{self._template.ranks}={name_of(choice)}"

    def _title(self, names: dict[int, str]) -> str:
        """Of a launch, whose cells may carry several names."""
        first, *others = dict.fromkeys(names.values())
        return "+".join([first, *(name.partition("=")[2] for name in others)])

    def _tuning(self, names: dict[int, str]) -> Tuning:
        """Each size with its choice; what lies between two sizes is not measured, so they part in the middle."""
        if set(names.values()) == {DEFAULT}:
            return Tuning()
        steps = sorted(names.items())
        found = [
            Rule(math.isqrt(low * high), self._choices[name])
            for (low, name), (high, after) in pairwise(steps)
            if name != after
        ]
        found.append(Rule(None, self._choices[steps[-1][1]]))
        return Tuning(decisions=(Decision(self._template.benchmark, self._template.ranks, tuple(found)),))

    def _refine(self) -> None:
        """New races between neighbours that seem to have different winners, if time is left for them to end.

        Only who was good at one of the two enters. Where one choice would do for both there is nothing to find.
        """
        if self._rounds - self._ledger.rounds < self._rigour.min_rounds:
            return
        for low, high in pairwise(self._measured_sizes()):
            races = [self._races[low,], self._races[high,]]
            new = between(low, high, self._grid)
            if not new or min(race.rounds for race in races) < FEW_ROUNDS or not self._differ(races):
                continue
            entering = [self._choices[name] for name in self._good(races)]
            for size in new:
                self._races[size,] = self._race((size,), useful(entering, size))

    def _again(self, lanes: int) -> int:
        """How often more the default, the first of the lanes, is measured, which all others are judged by.

        The root of their number is best (Dunnett 1955); it matters where the default's luck leaves no choice.
        """
        return math.isqrt(lanes) if self._grain == "complete" else 0

    def _estimates(self, races: Sequence[Contest]) -> FloatArray:
        """As `_costs`, but of races that go on as far as one can guess; of all where many may have to stand in."""
        sure = [race.closed and self._grain != "complete" for race in races]
        how = [race.cost if certain else race.estimate for race, certain in zip(races, sure, strict=True)]
        costs = np.array([[one(name, self._ledger) for one in how] for name in (DEFAULT, *self._choices)])
        return np.where(costs > self._rigour.margin / 2, np.inf, costs)

    def _differ(self, races: Sequence[Contest]) -> bool:
        """One has a choice that is faster than the default, and no choice is good enough in all."""
        costs = self._estimates(races)
        beyond = np.max(costs - np.min(costs, axis=0), axis=1)
        return bool(np.min(costs) < -self._rigour.margin and not np.any(beyond <= self._rigour.margin))

    def _good(self, races: Sequence[Contest]) -> list[str]:
        """Who is within delta of the best in one of the races; who is no slower there, if one is needed anyway."""
        costs = self._estimates(races)
        bound = np.inf if self._grain == "complete" else np.min(costs, axis=0) + self._rigour.margin
        near = np.any(np.isfinite(costs) & (costs <= bound), axis=1)
        return [name for name, good in zip(self._choices, near[1:], strict=True) if good]

    def _costs(self, races: Sequence[Contest]) -> FloatArray:
        """Logarithm of time over the default's for the default and each choice (rows) in each race (columns).

        What seems faster than the winner is not so for certain: it may take its place, but gains nothing by it.
        What seems slower than the default by more than half of delta must not be taken at all, or a fresh
        measurement may well find it slower.
        """
        costs = np.array([[race.cost(name, self._ledger) for race in races] for name in (DEFAULT, *self._choices)])
        least = [race.cost(race.winner(self._ledger), self._ledger) for race in races]
        return np.where(costs > self._rigour.margin / 2, np.inf, np.maximum(costs, least))

    def _measured_sizes(self) -> list[int]:
        return sorted(size for sizes in self._races for size in sizes)

    def _rules(self) -> tuple[Rule, ...]:
        if not self._races or all(race.winner(self._ledger) == DEFAULT for race in self._races.values()):
            return ()
        if self._grain == "one for all sizes":
            (race,) = self._races.values()
            return (Rule(None, self._choices[race.winner(self._ledger)]),)
        sizes = self._measured_sizes()
        return decided(
            sizes, self._costs([self._races[size,] for size in sizes]), [Choice(), *self._choices.values()],
            self._rigour.margin, self._most_leaves, complete=self._grain == "complete",
        )  # fmt: skip

    def _why_not(self) -> str:
        if all(race.winner(self._ledger) == DEFAULT for race in self._races.values()):
            return "nothing is better for certain"
        found = self._measured_sizes()
        alone = without_choice(found, self._costs([self._races[size,] for size in found]))
        sizes = ", ".join(map(format_size, alone))
        return f"every size needs a choice, and at {sizes} none is as good as the default"

    def _gains(self, found: Sequence[Rule]) -> str:
        """`up to 1 KiB binomial (0.61 times the default's time), above the default`."""
        said = []
        below = -1
        for rule in found:
            to = math.inf if rule.up_to_bytes is None else rule.up_to_bytes
            within = [race for sizes, race in self._races.items() if below < sizes[0] <= to]
            gain = ""
            if rule.choice != Choice() and within:
                name = self._name(rule.choice)
                ratio = math.exp(float(np.mean([race.cost(name, self._ledger) for race in within])))
                gain = f" ({ratio:.2f} times the default's time)"
            where = reach(rule) if len(found) > 1 else "at every size"
            said.append(f"{where} {words_of(rule.choice)}{gain}")
            below = int(to) if math.isfinite(to) else below
        return ", ".join(said)
