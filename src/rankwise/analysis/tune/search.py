"""What every search has in common: it asks for trials, and is told how they went."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankwise.analysis.tune.observations import Observations
from rankwise.core.records import Cell, Launch
from rankwise.core.tuning import Reason, Tuning


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings, and the cells to measure once with them: all of one implementation, ranks and placement.

    `name` is the profile that the cells carry, in words that a reader of the store understands:
    `eager-threshold=65536`, `bcast@4=binomial`; `default` for a tuning that is empty. Where settings do not touch,
    as algorithms at different sizes, cells may carry names of their own, and `name` is all of these.
    """

    name: str
    tuning: Tuning
    cells: tuple[Cell, ...]


class Search(ABC):
    """One question about one implementation, answered by measuring as little as it takes.

    A kind of search says what comes next (`_next_round`), what a round has shown (`_update`), what is best, why.
    """

    def __init__(self, subject: str, choices: int = 0, quantile: float = 0.5) -> None:
        """`choices`: among how many it chooses, beside the default; `quantile` of a launch's repetitions."""
        self.subject = subject
        """`eager-threshold`, `bcast at 4 ranks`: for progress and reasons."""
        self.finished = False
        """Whether it had no question left when it was asked last."""
        self._offered = choices
        self._observed = Observations(quantile)
        self._asked: list[Cell] = []

    def ask(self) -> tuple[Trial, ...]:
        """Return the next round: each trial is to be launched once. None: the question is answered."""
        trials = tuple(self._next_round())
        self._asked = [cell for trial in trials for cell in trial.cells]
        self.finished = not trials
        return trials

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take in the launches of a round, failed ones included; those of other searches may be among them."""
        if self._asked:
            self._observed.add(self._asked, launches)
            self._update()

    def best(self) -> Tuning:
        """Return what is best so far; empty where nothing is better than the default for certain."""
        return Tuning()

    def seconds_to_gain(self) -> float:
        """Return how much time the best so far would save in all cells: what gains most goes first."""
        return 0.0

    def ends(self) -> dict[str, Tuning]:
        """Return, by label, what shows how much there is to gain at most: of values in a row the last."""
        return {}

    @abstractmethod
    def reasons(self) -> tuple[Reason, ...]:
        """Return why."""

    def exhaustive_launches(self) -> int:
        """Return what trying every choice as often as the most tried one would have taken."""
        return max(self._observed.launches.values(), default=0) * (self._offered + 1)

    def _next_round(self) -> Iterable[Trial]:
        return ()

    def _update(self) -> None:
        """Take a round into account."""
        return


class NothingToAsk(Search):
    """In place of a search where nothing can be chosen: it only has the reason."""

    def __init__(self, subject: str, text: str) -> None:
        super().__init__(subject)
        self._words = text

    def reasons(self) -> tuple[Reason, ...]:
        """Return why there is no question."""
        return (Reason(self.subject, self._words),)


def trials_of(cells: Iterable[Cell], tunings: Mapping[str, Tuning]) -> list[Trial]:
    """Return a trial for each label and all of its cells that one launch can measure.

    `tunings`: by label; the default is what is not among them.
    """
    groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.ranks, cell.options, cell.placement, cell.label].append(cell)
    return [Trial(own[0].label, tunings.get(own[0].label, Tuning()), tuple(own)) for own in groups.values()]
