"""Which of a few whole settings is best on a set of cells: socket buffers, transports, links, host settings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankwise.analysis.tune.contest import Contest
from rankwise.analysis.tune.evidence import Rigour, ends
from rankwise.analysis.tune.ledger import Ledger
from rankwise.analysis.tune.search import Trial
from rankwise.core.records import DEFAULT, Cell, Launch
from rankwise.core.tuning import Knob, Reason, Setting, Tuning


def variants_of(knob: Knob, values: Sequence[str] = ()) -> dict[str, Tuning]:
    """Return a variant for each value (none given: each of the knob's choices) that is not the default already."""
    return {
        f"{knob.name}={value}": Tuning((Setting(knob.name, value),))
        for value in (values or knob.values)
        if value != knob.default
    }


class KnobRace:
    """One race over all cells together: the winner has the lowest weighted geometric mean of times.

    It must be better than the default by more than delta there for certain, and significantly slower beyond delta
    in no cell.
    """

    def __init__(
        self,
        subject: str,
        variants: Mapping[str, Tuning],
        cells: Sequence[Cell],
        rigour: Rigour | None = None,
        *,
        calls: Sequence[float] = (),
        costs: Mapping[str, str] | None = None,
    ) -> None:
        """`variants`: by the profile name that their launches carry; `cells`: templates, their profile is put in.

        `calls`: how often each cell is called, which times its time is its weight, none: all weigh alike;
        `costs`: what a variant costs, in words.
        """
        self.subject = subject
        self._variants, self._costs = dict(variants), dict(costs or {})
        self._rigour = rigour or Rigour()
        self._ledger = Ledger()
        self._contest = Contest(cells, self._variants, self._rigour, calls)
        self._asked: list[Cell] = []

    @property
    def launches(self) -> int:
        """Used so far; those shared with other searches count in full."""
        return self._ledger.launches.total()

    def ask(self) -> tuple[Trial, ...]:
        """Return the default and every variant that is still in, once for each ranks and placement."""
        self._asked = []
        groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for cell in self._contest.cells:
            groups[cell.ranks, cell.options, cell.placement].append(cell)
        trials = []
        for own in groups.values():
            for name in self._contest.wanted():
                cells = tuple(replace(cell, label=name) for cell in own)
                trials.append(Trial(name, self._variants.get(name, Tuning()), cells))
                self._asked += cells
        return tuple(trials)

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take a round into account."""
        self._ledger.add(self._asked, launches)
        if not self._contest.closed:
            self._contest.settle(self._ledger)

    def best(self) -> Tuning:
        """Return the winner's settings."""
        return self._variants.get(self._contest.winner(self._ledger), Tuning())

    def reasons(self) -> tuple[Reason, ...]:
        """Who won and by how much, and why the others did not."""
        winner = self._contest.winner(self._ledger)
        out = [f"{name}: {why}" for name, why in self._contest.out.items()]
        count = len(self._contest.cells)
        if winner == DEFAULT:
            left = [f"{name}: {self._ratio(name)}, not certain" for name in self._contest.alive]
            words = f"left as it is: nothing is better for certain over {count} cells"
            return (Reason(self.subject, "; ".join([words, *out, *left])),)
        rest = [f"{name}: {self._ratio(name)}" for name in self._contest.alive if name != winner]
        words = f"{winner}: {self._ratio(winner)} over {count} cells, slower in none"
        return (Reason(self.subject, "; ".join([words, *rest, *out]), self._costs.get(winner, "")),)

    def exhaustive_launches(self) -> int:
        """Return every variant as often as the most tried one."""
        return max(self._ledger.launches.values(), default=0) * (len(self._variants) + 1)

    def _ratio(self, name: str) -> str:
        found = self._contest.against(name, self._ledger)
        if not found.rounds:
            return "not measured"
        low, high = np.exp(ends([found]))[:, 0]
        return f"{math.exp(found.log_ratio):.2f} ({low:.2f} to {high:.2f}) times the default's time"
