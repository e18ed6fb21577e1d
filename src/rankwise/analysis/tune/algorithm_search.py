"""Which algorithm a collective operation should use at which size: a race at each size, then few rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

from rankwise.analysis.tune.choices import first_choices, name_of, useful, words_of
from rankwise.analysis.tune.observations import Observations
from rankwise.analysis.tune.race import Race, SearchCriteria
from rankwise.analysis.tune.rules import (
    MOST_RULES,
    gains_words,
    rules_from_costs,
    sizes_between,
    sizes_without_choice,
)
from rankwise.analysis.tune.search import Trial
from rankwise.analysis.tune.size_costs import costs_of, have_different_winners, near_best
from rankwise.core.records import DEFAULT, Cell, FloatArray, Launch
from rankwise.core.tuning import Choice, ChoiceScope, Decision, Reason, Rule, Tuning
from rankwise.core.units import format_size

MOST_ROUNDS = 8
"""Of one race: a gain that so many launches cannot show for certain is not worth more of them."""
JOIN_ROUNDS = 2
"""After so many the other segment sizes and fan-outs of the best algorithms join."""
NOT_FAR_BEHIND = math.log(1.25)
"""What takes no longer than this beyond the best is worth a trial at other ranks, half of it with segments."""

Sizes = tuple[int, ...]
"""What one race is about: a single size, or all of them."""


class AlgorithmSearch:
    """Races at a few sizes side by side, and between neighbouring sizes that seem to have different winners.

    A trial holds as many algorithms as there are sizes, each at its own, so a round takes as many trials as the
    fullest race has candidates, and the default. At each size all placements count together, since a decision
    cannot tell them apart; what is slower in one of them is not chosen.

    Of each algorithm one choice is tried first; its other segment sizes and fan-outs join after a few rounds, if
    it is not behind by then.
    """

    def __init__(
        self,
        template: Cell,
        choices: Sequence[Choice],
        sizes_bytes: Sequence[int],
        placements: Sequence[str] = ("block",),
        criteria: SearchCriteria | None = None,
        *,
        scope: ChoiceScope = "by size",
        calls: Sequence[float] = (),
        earlier: Sequence[AlgorithmSearch] = (),
        rounds: int = 12,
        size_step: float = 4.0,
        most_rules: int = MOST_RULES,
    ) -> None:
        """`template`: the operation as its benchmark, implementation, ranks, options and testbed.

        `calls`: how often messages of each of the sizes come, which matters where one choice has to do for all.
        `earlier`: searches at other numbers of ranks that come first; what was far behind everywhere there is
        not tried here. `rounds` is the budget of all races together; sizes are put between neighbours until these
        are no more than `size_step` times apart.
        """
        self.subject = f"{template.benchmark} at {template.ranks} ranks"
        self.finished = False
        """Whether it had no question left when it was asked last."""
        self._template, self._placements = template, tuple(placements)
        given = criteria or SearchCriteria()
        self._criteria = replace(given, max_rounds=min(given.max_rounds, MOST_ROUNDS))
        self._scope, self._searches_before = scope, tuple(earlier)
        self._rounds, self._size_step, self._most_rules = rounds, size_step, most_rules
        self._choices = {self._name(choice): choice for choice in choices if choice != Choice()}
        self._offered = len(self._choices)
        calls_at = dict(zip(sizes_bytes, calls, strict=True)) if calls else {}
        self._sizes = sorted(set(sizes_bytes))
        self._calls = [calls_at[size] for size in self._sizes] if calls else []
        self._observed = Observations()
        self._races: dict[Sizes, Race] = {}
        self._asked: list[Cell] = []
        self._unusable: dict[str, str] = {}

    def ask(self) -> tuple[Trial, ...]:
        """Return the default, and trials that measure every choice that remains somewhere once."""
        self._asked = []
        if not self._observed.rounds:
            self._begin()  # again, if it was only asked how much there will be to do: by now more is known
        trials = []
        if self._observed.rounds < self._rounds:
            queues = [[(sizes, name) for name in one.next_round()] for sizes, one in self._races.items()]
            for placement in self._placements:
                rows = [*zip_longest(*queues)]
                for together in (*rows, *rows[:1] * self._more_of_default(len(rows))):
                    names = {size: entry[1] for entry in together if entry for size in entry[0]}
                    cells = tuple(self._cell(size, placement, name) for size, name in sorted(names.items()))
                    trials.append(Trial(self._title(names), self._tuning(names), cells))
                    self._asked += cells
        self.finished = not trials
        return tuple(trials)

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take a round into account: candidates leave, and new choices and sizes may come."""
        if not self._asked:
            return
        self._observed.add(self._asked, launches)
        for one in self._races.values():
            if not one.finished:
                one.update()
                failed = {name: why for name, why in one.left.items() if why.startswith("unusable")}
                self._unusable.update(failed)
        for one in self._races.values():
            one.exclude(self._unusable)
        for sizes, one in self._races.items():
            if one.rounds == JOIN_ROUNDS:
                one.add(self._other_choices(sizes, one))
        if self._scope != "one for all sizes":
            self._refine()

    def best(self) -> Tuning:
        """Return the rules as they stand."""
        found = self._rules()
        decision = Decision(self._template.benchmark, self._template.ranks, found)
        return Tuning(decisions=(decision,)) if found else Tuning()

    def reasons(self) -> tuple[Reason, ...]:
        """Return the rules with their gains, and what could not be used."""
        if not self._observed.rounds:
            return (Reason(self.subject, "left as it is: the time was over before it was tried"),)
        found = self._rules()
        words = gains_words(found, self._log_ratios) if found else f"left as it is: {self._why_not()}"
        unusable = "; ".join(f"{words_of(self._choices[name])} {why}" for name, why in self._unusable.items())
        first = f" that were not far behind at {self._searches_before[-1].ranks} ranks" if self._before() else ""
        sizes = f"tried at {len(self._measured_sizes())} sizes, {len(self._choices)} choices{first}"
        cut = "" if self.finished else f"cut short after {self._observed.rounds} rounds: the time was over"
        return (Reason(self.subject, "; ".join(filter(None, (words, unusable, sizes, cut)))),)

    def exhaustive_launches(self) -> int:
        """Return every choice as often as the most tried one, in each placement; so too at the ranks before."""
        before = max((one.exhaustive_launches() for one in self._searches_before), default=0)
        return before + max(self._observed.launches.values(), default=0) * (self._offered + 1)

    @property
    def ranks(self) -> int:
        """Of the communicators that it is about."""
        return self._template.ranks

    def promising(self) -> set[str]:
        """Return the algorithms that were not far behind the best, the default included, at some size."""
        found = {name for one in self._races.values() for name in self._near(one, NOT_FAR_BEHIND)}
        return {self._choices[name].algorithm for name in found - set(self._unusable)}

    def _near(self, race: Race, margin: float) -> list[str]:
        """Candidates of a race within `margin` of its best, the default included."""
        least = min(map(race.log_ratio, (DEFAULT, *race.candidates)))
        return [name for name in race.candidates if race.log_ratio(name) - least <= margin]

    def _begin(self) -> None:
        self._races = {}
        if before := self._before():
            kept = before.promising()
            self._choices = {name: one for name, one in self._choices.items() if one.algorithm in kept}
        together = self._scope == "one for all sizes"
        for sizes in [tuple(self._sizes)] if together else [(size,) for size in self._sizes]:
            self._races[sizes] = self._race(sizes, first_choices([*self._choices.values()], max(sizes)))

    def _before(self) -> AlgorithmSearch | None:
        """The same operation at another number of ranks, if it was measured there."""
        same = [
            one for one in self._searches_before
            if one._template.benchmark == self._template.benchmark and one._observed.rounds
        ]  # fmt: skip
        return same[-1] if same else None

    def _race(self, sizes: Sizes, choices: Iterable[Choice]) -> Race:
        cells = [self._cell(size, placement, "") for placement in self._placements for size in sizes]
        calls = self._calls * len(self._placements) if len(sizes) > 1 else ()
        found = Race(
            cells, map(self._name, choices), self._observed, self._criteria, calls,
            replaces_default=self._scope == "complete",
        )  # fmt: skip
        found.exclude(self._unusable)
        return found

    def _other_choices(self, sizes: Sizes, race: Race) -> list[str]:
        """Those of the algorithms that are among the best so far."""
        among = {self._choices[name].algorithm for name in self._near(race, NOT_FAR_BEHIND / 2)}
        others = [one for one in useful(self._choices.values(), max(sizes)) if one.algorithm in among]
        return [name for name in map(self._name, others) if name not in self._unusable]

    def _cell(self, size_bytes: int, placement: str, name: str) -> Cell:
        return replace(self._template, size_bytes=size_bytes, placement=placement, label=name)

    def _name(self, choice: Choice) -> str:
        """`bcast@4=pipeline/8192`: the label that its cells carry."""
        return f"{self._template.benchmark}@{self._template.ranks}={name_of(choice)}"

    def _title(self, names: dict[int, str]) -> str:
        """Of a trial, whose cells may carry several names."""
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
        """Begin races between neighbours that seem to have different winners, if time is left for them.

        Only what was good at one of the two is tried. Where one choice would do for both there is nothing to find.
        """
        if self._rounds - self._observed.rounds < self._criteria.min_rounds:
            return
        for low, high in pairwise(self._measured_sizes()):
            both = [self._races[low,], self._races[high,]]
            new = sizes_between(low, high, self._size_step)
            if not new or not all(one.finished or one.rounds >= self._criteria.min_rounds for one in both):
                continue
            costs = costs_of(both, [*self._choices], self._criteria.margin, certain=False)
            if not have_different_winners(costs, self._criteria.margin):
                continue
            good = near_best(costs, math.inf if self._scope == "complete" else self._criteria.margin)
            tried = [choice for choice, is_good in zip(self._choices.values(), good[1:], strict=True) if is_good]
            for size in new:
                self._races[size,] = self._race((size,), useful(tried, size))

    def _more_of_default(self, trials: int) -> int:
        """How often more the default is measured, with which all others are compared.

        The root of their number is best (Dunnett 1955); it matters where the default's luck leaves no choice.
        """
        return math.isqrt(trials) if self._scope == "complete" else 0

    def _measured_sizes(self) -> list[int]:
        return sorted(size for sizes in self._races for size in sizes)

    def _costs(self, sizes_bytes: Sequence[int]) -> FloatArray:
        found = [self._races[size,] for size in sizes_bytes]
        return costs_of(found, [*self._choices], self._criteria.margin)

    def _nothing_selected(self) -> bool:
        return all(one.selected() == DEFAULT for one in self._races.values())

    def _rules(self) -> tuple[Rule, ...]:
        if not self._races or self._nothing_selected():
            return ()
        if self._scope == "one for all sizes":
            (one,) = self._races.values()
            return (Rule(None, self._choices[one.selected()]),)
        sizes = self._measured_sizes()
        return rules_from_costs(
            sizes, self._costs(sizes), [Choice(), *self._choices.values()],
            self._criteria.margin, self._most_rules, complete=self._scope == "complete",
        )  # fmt: skip

    def _why_not(self) -> str:
        if self._nothing_selected():
            return "nothing is better for certain"
        found = self._measured_sizes()
        sizes = ", ".join(map(format_size, sizes_without_choice(found, self._costs(found))))
        return f"every size needs a choice, and at {sizes} none is as good as the default"

    def _log_ratios(self, choice: Choice, above_bytes: float, to_bytes: float) -> list[float]:
        """Of a choice to the default, at the measured sizes above one bound and up to another."""
        name = self._name(choice)
        within = [one for sizes, one in self._races.items() if above_bytes < sizes[0] <= to_bytes]
        return [one.log_ratio(name) for one in within]
