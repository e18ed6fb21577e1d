"""What every search has in common: it asks for trials, and is told how they went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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


@dataclass(slots=True)
class NothingToAsk:
    """In place of a search where nothing can be chosen: it only has the reason."""

    subject: str
    words: str

    def ask(self) -> tuple[Trial, ...]:
        """Return no trials."""
        return ()

    def tell(self, launches: Sequence[Launch]) -> None:
        """Ignore the launches: they were for others."""

    def best(self) -> Tuning:
        """Return the default."""
        return Tuning()

    def reasons(self) -> tuple[Reason, ...]:
        """Return why there is no question."""
        return (Reason(self.subject, self.words),)

    def exhaustive_launches(self) -> int:
        """Return 0."""
        return 0


class Search(Protocol):
    """One question about one implementation, answered by measuring as little as it takes."""

    subject: str
    """`eager-threshold`, `bcast at 4 ranks`: for progress and reasons."""

    def ask(self) -> tuple[Trial, ...]:
        """Return the next round: each trial is to be launched once. None: the question is answered."""
        ...

    def tell(self, launches: Sequence[Launch]) -> None:
        """Take in the launches of a round, failed ones included; those of other searches may be among them."""
        ...

    def best(self) -> Tuning:
        """Return what is best so far; empty where nothing is better than the default for certain."""
        ...

    def reasons(self) -> tuple[Reason, ...]:
        """Return why."""
        ...

    def exhaustive_launches(self) -> int:
        """Return what trying every choice as often as the best was tried would have taken."""
        ...
