"""Which algorithm a collective operation should use at which size: a race at each size, then few rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

from rankwise.analysis.tune.choices import first_choices, name_of, useful, words_of
from rankwise.analysis.tune.race import AGAIN, Race, SearchCriteria
from rankwise.analysis.tune.rules import (
    bias_words,
    candidates_near_best,
    complete_rules,
    costs_of,
    gains_words,
    have_different_winners,
    near_best,
    rules_from_costs,
    sizes_between,
    sizes_without_choice,
)
from rankwise.analysis.tune.search import Search, Trial
from rankwise.core.records import DEFAULT, Cell, FloatArray
from rankwise.core.tuning import Choice, ChoiceScope, Decision, Reason, Rule, Tuning
from rankwise.core.units import format_size

MOST_ROUNDS = 8
"""Of one race: a gain that so many launches cannot show for certain is not worth more of them."""
NOT_FAR_BEHIND = math.log(1.25)
"""What takes no longer than this beyond the best is worth a trial at other ranks, half of it with segments."""
MOST_JOINING = 2
"""Of so many algorithms other segment sizes and fan-outs are tried."""
SIZE_STEP = 4.0
"""Sizes are put between neighbours until these are no more than so many times apart."""

Sizes = tuple[int, ...]  # of one race: a single size, or all of them


class AlgorithmSearch(Search):
    """Races at a few sizes side by side, and between neighbouring sizes that seem to have different winners.

    A trial holds as many algorithms as there are sizes, each at its own, so a round takes as many trials as the
    fullest race has candidates, and the default. At each size all placements count together, since a decision
    cannot tell them apart; what is slower in one of them is not chosen.

    Of each algorithm one choice is tried first; its other segment sizes and fan-outs join after a round, if it is
    not behind by then.
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
    ) -> None:
        """`template`: the operation as its benchmark, implementation, ranks, options and testbed.

        `calls`: how often messages of each of the sizes come, which matters where one choice has to do for all.
        `earlier`: searches at other numbers of ranks that come first; what was far behind everywhere there is
        not tried here. `rounds` is the budget of all races together.
        """
        self._template, self._placements = template, tuple(placements)
        self._choices = {self._name(choice): choice for choice in choices if choice != Choice()}
        given, subject = criteria or SearchCriteria(), f"{template.benchmark} at {template.ranks} ranks"
        super().__init__(subject, len(self._choices), given.quantile)
        self._criteria = replace(given, max_rounds=min(given.max_rounds, MOST_ROUNDS))
        self._complete, self._one_for_all = scope == "complete", scope == "one for all sizes"
        self._rounds, self._searches_before = rounds, tuple(earlier)
        self._calls = dict(sorted(zip(sizes_bytes, calls or [0.0] * len(sizes_bytes), strict=True)))
        """By the sizes that are tried first."""
        self._races: dict[Sizes, Race] = {}
        self._unusable: dict[str, str] = {}

    def best(self) -> Tuning:
        """Return the rules as they stand."""
        return self._tuning(rules) if (rules := self._rules()) else Tuning()

    def seconds_to_gain(self) -> float:
        """Return what the best choice at each size would save."""
        return sum(race.seconds_lost() for race in self._races.values() if race.rounds)

    def reasons(self) -> tuple[Reason, ...]:
        """Return the rules with their gains, and what could not be used."""
        if not self._observed.rounds:
            return (Reason(self.subject, f"left as it is: {self._why_not()}"),)
        rules = self._rules()
        at = self._decided()
        gains = gains_words(rules, [*at], lambda choice, size: at[size].log_ratio(self._name(choice)))
        text = gains if rules else f"left as it is: {self._why_not()}"
        unusable = "; ".join(f"{words_of(self._choices[name])} {why}" for name, why in self._unusable.items())
        first = (
            f" that were not far behind at {before._template.ranks} ranks" if (before := self._before()) else ""
        )
        sizes = f"tried at {len(self._by_size())} sizes, {len(self._choices)} choices{first}"
        rounds = f"{self._observed.rounds} round{'s' * (self._observed.rounds != 1)}"
        cut = "" if self.finished else f"cut short after {rounds}: out of time"
        said = (text, bias_words(self._races.values()), unusable, sizes, cut)
        return (Reason(self.subject, "; ".join(filter(None, said))),)

    def _next_round(self) -> Iterable[Trial]:
        """The default, and trials that measure every choice that remains somewhere once."""
        if not self._observed.rounds:
            self._begin()  # again, if it was only asked how much there will be to do: by now more is known
        if self._observed.rounds >= self._rounds:
            return
        queues = [[(sizes, name) for name in race.next_round()] for sizes, race in self._races.items()]
        rows = [*zip_longest(*queues)]
        # With the default, the first row, all others are compared: the root of their number is best (Dunnett
        # 1955). It matters where the default's luck leaves no choice.
        more = math.isqrt(len(rows)) if self._complete else 0
        for placement in self._placements:
            for row in (*rows, *rows[:1] * more):
                yield self._trial(placement, {size: at[1] for at in row if at for size in at[0]})

    def _update(self) -> None:
        """Candidates leave, and new choices and sizes may come; what fails at one size is tried at none."""
        for race in self._races.values():
            if not race.finished:
                race.update()
            self._unusable |= race.failed
        for sizes, race in self._races.items():
            race.exclude(self._unusable)
            if race.rounds == 1:
                race.add(self._other_choices(sizes, race))
        if not self._one_for_all:
            self._refine()

    def _begin(self) -> None:
        if before := self._before():
            kept = before._promising()
            self._choices = {name: choice for name, choice in self._choices.items() if choice.algorithm in kept}
        races = [tuple(self._calls)] if self._one_for_all else [(size,) for size in self._calls]
        choices = [*self._choices.values()]
        self._races = {sizes: self._race(sizes, first_choices(choices, max(sizes))) for sizes in races}

    def _race(self, sizes: Sizes, choices: Iterable[Choice]) -> Race:
        cells = [self._cell(size, placement, "") for placement in self._placements for size in sizes]
        calls = [*self._calls.values()] * len(self._placements) if self._one_for_all else ()
        race = Race(
            cells, map(self._name, choices), self._observed, self._criteria, calls,
            replaces_default=self._complete, checks=not self._complete,
        )  # fmt: skip
        race.exclude(self._unusable)
        return race

    def _refine(self) -> None:
        """Begin races between neighbours that seem to have different winners, if time is left for them.

        Only what was good at one of the two is tried. Where one choice would do for both there is nothing to find.
        """
        least, margin = self._criteria.min_rounds, self._criteria.margin
        if self._rounds - self._observed.rounds < least:
            return
        for (low, below), (high, above) in pairwise(self._by_size().items()):
            new, both = sizes_between(low, high, SIZE_STEP), (below, above)
            if not new or not all(race.finished or race.rounds >= least for race in both):
                continue
            costs = costs_of(both, [*self._choices], margin, certain=False)
            known = all(race.finished for race in both) and below.selected() != above.selected()
            if known or have_different_winners(costs, margin):
                good = near_best(costs, math.inf if self._complete else margin)[1:]
                tried = [choice for choice, is_good in zip(self._choices.values(), good, strict=True) if is_good]
                self._races |= {(size,): self._race((size,), useful(tried, size)) for size in new}

    def _before(self) -> AlgorithmSearch | None:
        """The same operation at another number of ranks, if it was measured there."""
        same = [
            search for search in self._searches_before
            if search._template.benchmark == self._template.benchmark and search._observed.rounds
        ]  # fmt: skip
        return same[-1] if same else None

    def _promising(self) -> set[str]:
        """The algorithms that were not far behind the best, the default included, at some size."""
        near = {name for race in self._races.values() for name in candidates_near_best(race, NOT_FAR_BEHIND)}
        return {self._choices[name].algorithm for name in near - set(self._unusable)}

    def _other_choices(self, sizes: Sizes, race: Race) -> list[str]:
        """Those of the algorithms that are the best so far."""
        best = sorted(candidates_near_best(race, NOT_FAR_BEHIND / 2), key=race.log_ratio)
        among = {self._choices[name].algorithm for name in best[:MOST_JOINING]}
        others = [choice for choice in useful(self._choices.values(), max(sizes)) if choice.algorithm in among]
        return [name for name in map(self._name, others) if name not in self._unusable]

    # What is measured

    def _name(self, choice: Choice) -> str:
        """`bcast@4=pipeline/8192`: the label that its cells carry."""
        return f"{self._template.benchmark}@{self._template.ranks}={name_of(choice)}"

    def _cell(self, size_bytes: int, placement: str, name: str) -> Cell:
        return replace(self._template, size_bytes=size_bytes, placement=placement, label=name)

    def _trial(self, placement: str, names: dict[int, str]) -> Trial:
        """Each size with its own, by label; what lies between two sizes is not measured."""
        sizes = sorted(names)
        cells = tuple(self._cell(size, placement, names[size]) for size in sizes)
        first, *others = dict.fromkeys(names.values())
        if first in (DEFAULT, AGAIN):
            return Trial(first, Tuning(), cells)
        title = "+".join([first, *(name_of(self._choices[name]) for name in others)])
        rules = complete_rules(sizes, [self._choices[names[size]] for size in sizes], in_the_middle=True)
        return Trial(title, self._tuning(rules), cells)

    def _tuning(self, rules: tuple[Rule, ...]) -> Tuning:
        return Tuning(decisions=(Decision(self._template.benchmark, self._template.ranks, rules),))

    # What comes of it

    def _by_size(self) -> dict[int, Race]:
        """The race that a size belongs to, in ascending order."""
        pairs = sorted((size, sizes) for sizes in self._races for size in sizes)
        return {size: self._races[sizes] for size, sizes in pairs}

    def _nothing_selected(self) -> bool:
        return all(race.selected() == DEFAULT for race in self._races.values())

    def _decided(self) -> dict[int, Race]:
        """Those at the sizes that were asked for, and between them those that have come to an end."""
        known = self._by_size().items()
        return {size: race for size, race in known if size in self._calls or (race.finished and race.rounds)}

    def _costs(self) -> tuple[list[int], FloatArray]:
        return [*(at := self._decided())], costs_of([*at.values()], [*self._choices], self._criteria.margin)

    def _rules(self) -> tuple[Rule, ...]:
        if self._nothing_selected():
            return ()
        if self._one_for_all:
            (race,) = self._races.values()
            return (Rule(None, self._choices[race.selected()]),)
        choices = [Choice(), *self._choices.values()]
        return rules_from_costs(*self._costs(), choices, self._criteria.margin, complete=self._complete)

    def _why_not(self) -> str:
        if not self._observed.rounds:
            before = self._before() if self.finished else None
            nothing = f"nothing was near the default at {before._template.ranks} ranks" if before else ""
            return nothing or "out of time before it was tried"
        if self._nothing_selected():
            return "nothing is significantly better"
        sizes = ", ".join(map(format_size, sizes_without_choice(*self._costs())))
        return f"every size needs a choice, and at {sizes} none is as good as the default"
