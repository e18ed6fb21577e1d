"""Which of a few whole settings is best on a set of cells: socket buffers, transports, links, host settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rankwise.analysis.tune.race import Race, SearchCriteria
from rankwise.analysis.tune.search import Search, Trial, trials_of
from rankwise.core.records import DEFAULT, Cell
from rankwise.core.tuning import Knob, Reason, Setting, Tuning


def candidates_of(knob: Knob, values: Sequence[str] = ()) -> dict[str, Tuning]:
    """Return a candidate for each value (none given: each of the knob's choices) other than the default."""
    return {
        f"{knob.name}={value}": Tuning((Setting(knob.name, value),))
        for value in (values or knob.values)
        if value != knob.default
    }


class SettingSearch(Search):
    """One race over all cells together: the winner has the lowest weighted geometric mean of times."""

    def __init__(
        self,
        subject: str,
        candidates: Mapping[str, Tuning],
        cells: Sequence[Cell],
        criteria: SearchCriteria | None = None,
        *,
        calls: Sequence[float] = (),
        costs: Mapping[str, str] | None = None,
    ) -> None:
        """`candidates`: by the label that their cells carry; `cells`: templates that get the label.

        `calls`: how often each cell is called, which times its time is its weight, none: all weigh alike;
        `costs`: what a candidate costs, in words.
        """
        super().__init__(subject, len(candidates))
        self._candidates, self._costs = dict(candidates), dict(costs or {})
        self._race = Race(cells, self._candidates, self._observed, criteria or SearchCriteria(), calls)

    def best(self) -> Tuning:
        """Return the winner's settings."""
        return self._candidates.get(self._race.selected(), Tuning())

    def reasons(self) -> tuple[Reason, ...]:
        """Return which candidate won and by how much, and why the others did not."""
        winner = self._race.selected()
        out = [f"{name}: {why}" for name, why in self._race.left.items()]
        count = len(self._race.cells)
        if winner == DEFAULT:
            left = [f"{name}: {self._ratio(name)}, not certain" for name in self._race.remaining]
            words = f"left as it is: nothing is better for certain over {count} cells"
            return (Reason(self.subject, "; ".join([words, *out, *left])),)
        rest = [f"{name}: {self._ratio(name)}" for name in self._race.remaining if name != winner]
        words = f"{winner}: {self._ratio(winner)} over {count} cells, slower in none"
        return (Reason(self.subject, "; ".join([words, *rest, *out]), self._costs.get(winner, "")),)

    def _next_round(self) -> Iterable[Trial]:
        """The default and every candidate that remains, once for each ranks and placement."""
        names = self._race.next_round()
        return trials_of(
            (replace(cell, label=name) for cell in self._race.cells for name in names), self._candidates
        )

    def _update(self) -> None:
        self._race.update()

    def _ratio(self, name: str) -> str:
        ratio, low, high = map(math.exp, self._race.interval(name))
        if math.isnan(ratio):
            return "not measured"
        interval = f" ({low:.2f} to {high:.2f})" if math.isfinite(high) else ""
        return f"{ratio:.2f}{interval} times the default's time"
