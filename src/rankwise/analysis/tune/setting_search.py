"""Which of a few whole settings is best on a set of cells: socket buffers, transports, links, host settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rankwise.analysis.tune.race import Race, SearchCriteria, SizeClass
from rankwise.analysis.tune.search import Search, Trial, trials_of
from rankwise.core.records import DEFAULT, Cell
from rankwise.core.tuning import Knob, Reason, Setting, Tuning
from rankwise.core.units import format_size


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
        criteria = criteria or SearchCriteria()
        super().__init__(subject, len(candidates), criteria.quantile)
        self._candidates, self._costs = dict(candidates), dict(costs or {})
        self._race = Race(cells, self._candidates, self._observed, criteria, calls)

    def ends(self) -> dict[str, Tuning]:
        """Return all candidates."""
        return self._candidates

    def best(self) -> Tuning:
        """Return the winner's settings, or those of one that is likely to be."""
        return self._candidates.get(self._winner(), Tuning())

    def reasons(self) -> tuple[Reason, ...]:
        """Return which candidate won and by how much, and why the others did not."""
        winner = self._winner()
        out = [f"{name}: {why}" for name, why in self._race.left.items()]
        count = len(self._race.cells)
        if winner == DEFAULT:
            left = [f"{name}: {self._ratio(name)}, not certain" for name in self._race.remaining]
            text = f"left as it is: nothing is significantly better over {count} cells"
            return (Reason(self.subject, "; ".join([text, *out, *left])),)
        rest = [f"{name}: {self._ratio(name)}" for name in self._race.remaining if name != winner]
        likely = "" if winner == self._race.selected() else "; not certain before the validation"
        text = f"{winner}: {self._ratio(winner)}{likely}; significantly slower in none of {count} cells"
        return (Reason(self.subject, "; ".join([text, *rest, *out]), self._costs.get(winner, "")),)

    def _next_round(self) -> Iterable[Trial]:
        """The default and every candidate that remains, once for each ranks and placement.

        None more where a lone candidate is likely to win: the validation is a test of its own.
        """
        is_enough = len(self._candidates) == 1 and self._race.likely() != DEFAULT
        names = () if is_enough else self._race.next_round()
        return trials_of(
            (replace(cell, label=name) for cell in self._race.cells for name in names), self._candidates
        )

    def _update(self) -> None:
        self._race.update()

    def _winner(self) -> str:
        winner = self._race.selected()
        return self._race.likely() if winner == DEFAULT else winner

    def _ratio(self, name: str) -> str:
        return ", ".join(map(_class_words, self._race.classes(name))) or "not measured"


def _class_words(size_class: SizeClass) -> str:
    """Say what one class of sizes takes: cells that differ are not taken together."""
    ratio = " to ".join(dict.fromkeys(f"{math.exp(value):.2f}" for value in (size_class.least, size_class.most)))
    interval = (
        f" ({math.exp(size_class.low):.2f} to {math.exp(size_class.high):.2f})"
        if math.isfinite(size_class.high)
        else ""
    )
    sizes = " to ".join(
        dict.fromkeys(format_size(cell.size_bytes) for cell in (size_class.first, size_class.last))
    )
    where = f"{size_class.first.benchmark} of {sizes}, placement {size_class.first.placement}"
    return f"{ratio}{interval} times the default's time in {where}"
