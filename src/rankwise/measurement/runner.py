"""Carries out a plan: round after round of launches until all cells are precise or the time budget is spent."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rankwise.core.records import OWN, Cell, Implementation, Launch, Plan
from rankwise.measurement.adaptive import HalfWidth, Progress
from rankwise.measurement.plan import LEAST_SECONDS_PER_CELL, launches_of_round, together

SPARE_ROUNDS = 3
"""Rounds that a budget should hold beyond the fewest launches that precision asks for."""


MOST_VERIFYING_LAUNCHES = 4
"""Of the same cells: one that ends early leaves the cells that it did not come to for another."""


@dataclass(frozen=True, slots=True)
class State:
    """Where a run stands, for a progress bar."""

    now: str
    elapsed_seconds: float
    budget_seconds: float
    launches: int
    cells_open: int
    cells: int


@dataclass(frozen=True, slots=True)
class Ready:
    """An implementation with its compiled harness."""

    implementation: Implementation
    program: Path


class Launches(Protocol):
    """What starts launches: `Launching`, or several of them for several testbeds."""

    def launch(
        self, implementation: Implementation, program: Path, cells: Sequence[Cell], seconds_per_cell: float = 0.0,
        *, verifying: bool = False,
    ) -> Launch:  # fmt: skip
        """Measure these cells, as `Launching.launch` says."""
        ...


class Noise(Protocol):
    """What the launches so far say of their noise, as `stats.variances.Variances` does."""

    def add(self, launch: Launch) -> None:
        """Take a launch into account."""

    def visits_that_pay(self, cells: float, launch_seconds: float, visit_seconds: float) -> int:
        """Return how often a launch of so many cells should come to each of them."""


class Runner:
    """Runs one plan; every launch goes to `keep` as soon as it ended."""

    def __init__(
        self,
        plan: Plan,
        launching: Launches,
        half_width: HalfWidth,
        keep: Callable[[Launch], None],
        show: Callable[[State], None] = lambda _state: None,
        *,
        priority: Callable[[Cell], int] | None = None,
        noise: Noise | None = None,
        first_seconds: Callable[[Sequence[Cell]], float] | None = None,
        trusted: Collection[Cell] = (),
        most_seconds: Callable[[Cell], float] | None = None,
    ) -> None:
        """`priority`: after a first round of all, cells of a lower number get their fewest launches first.

        `noise` decides how often launches visit their cells; without it that is once. `first_seconds`: what a
        launch of these cells takes, as long as none was seen; given that, nothing goes beyond the time budget.
        `trusted`: cells whose data are not looked at first, whatever the plan says. `most_seconds`: a cell that is
        repeated for less than the plan says.
        """
        self._plan = plan
        self._priority = priority
        self._noise = noise
        self._first_seconds = first_seconds
        self._tried: Counter[Cell] = Counter()
        self._looked_at = set(trusted)
        self._most_seconds = most_seconds
        self._launching = launching
        self._progress = Progress(plan, half_width)
        self._keep = keep
        self._show = show
        self._launches = 0
        self._seconds_per_cell = plan.seconds_per_cell
        self._last: dict[tuple[str, int], Launch] = {}

    def run(self, ready: Mapping[str, Ready], earlier: Sequence[Launch] = (), spent_seconds: float = 0.0) -> str:
        """Measure until done and say why it stopped: `precise`, `time budget`, `max launches`, `verified`.

        `earlier` are the launches of an interrupted run that goes on, `spent_seconds` the time they took.
        The first round is always completed, even beyond the budget, unless it is known what it takes: otherwise
        there were nothing to compare.
        """
        started = time.monotonic() - spent_seconds
        for launch in earlier:
            self._take(launch)
            self._tried.update(
                {*(series.cell for series in launch.series), *(failure.cell for failure in launch.failures)}
            )
        shuffle = random.Random(f"{self._plan.seed}-{self._launches}")
        first_round = all(launch.verifying for launch in earlier)
        rounds = 0
        self._look_at_data(ready, shuffle, started)
        rounds_began = time.monotonic()
        while cells := self._progress.open_cells():
            launched = 0
            chosen = cells if first_round else self._first_in_line(cells)
            for launch_cells in launches_of_round(chosen, shuffle, self._visits(chosen)):
                elapsed = time.monotonic() - started
                if (first_round and not self._first_seconds) or self._is_in_time(launch_cells, elapsed):
                    self._show(self._state(launch_cells[0], elapsed))
                    self._measure(ready[launch_cells[0].implementation], launch_cells)
                    launched += 1
            if not launched:
                return "time budget"
            first_round = False
            rounds += 1
            self._pace(rounds, time.monotonic() - rounds_began, time.monotonic() - started)
        return self._why_done()

    def _look_at_data(self, ready: Mapping[str, Ready], shuffle: random.Random, started: float) -> None:
        """If the plan says so: a launch of each implementation and configuration for the data of its cells alone.

        Wrong ones are given up, so that nothing is said of their speed.
        """
        if self._plan.verify or not self._plan.verify_first:
            return
        for cells in launches_of_round(set(self._plan.cells) - self._looked_at, shuffle):
            harness, left, launches = ready[cells[0].implementation], cells, 0
            while left and launches < MOST_VERIFYING_LAUNCHES and not self._progress.broken:
                elapsed = time.monotonic() - started
                if self._first_seconds and not self._is_in_time(left, elapsed):
                    return
                self._show(self._state(left[0], elapsed, "data of "))
                launch = self._launching.launch(harness.implementation, harness.program, left, verifying=True)
                self._keep(launch)
                self._take(launch)
                left = [cell for cell in left if cell not in self._looked_at]
                launches += 1

    def _take(self, launch: Launch) -> None:
        self._progress.add(launch)
        self._launches += 1
        if launch.verifying:
            self._looked_at.update(launch.verified, (failure.cell for failure in launch.failures))
            return
        if self._noise:
            self._noise.add(launch)
        cell = launch.series[0].cell if launch.series else None  # of a joined job: what it is named by there
        self._last[cell.implementation if cell else launch.implementation, launch.ranks] = launch

    def _first_in_line(self, cells: Collection[Cell]) -> Collection[Cell]:
        """All of them, or those of the highest priority that were not yet tried often enough for a verdict."""
        wanting = [cell for cell in cells if self._tried[cell] < self._plan.min_launches]
        if self._priority is None or not wanting:
            return cells
        now = min(map(self._priority, wanting))
        return [cell for cell in wanting if self._priority(cell) == now]

    def _pace(self, rounds: int, rounds_seconds: float, elapsed_seconds: float) -> None:
        """Repeat cells for a shorter time if, at this pace, the budget would not hold enough launches of each.

        A verdict needs launches: with too few of them not even a difference of a hundred times could be shown.
        """
        wanted = self._plan.min_launches + SPARE_ROUNDS - rounds
        left = self._plan.time_budget_seconds - elapsed_seconds
        if rounds_seconds / rounds * wanted > left:
            self._seconds_per_cell = max(LEAST_SECONDS_PER_CELL, self._seconds_per_cell / 2)

    def _measure(self, ready: Ready, cells: Sequence[Cell]) -> None:
        seconds = self._seconds_per_cell
        if self._most_seconds:
            seconds = min(seconds, max(map(self._most_seconds, cells)))
        launch = self._launching.launch(ready.implementation, ready.program, cells, seconds)
        self._keep(launch)
        self._take(launch)
        self._tried.update(set(cells))

    def _visits(self, cells: Collection[Cell]) -> int:
        """How often the launches of a round come to each of their cells: what the last ones took decides."""
        known = [launch for launch in self._last.values() if launch.cells_seconds]
        visits_by_cell = [item for launch in known for item in launch.visits().items()]
        visits = sum(len(of_cell) for (_, quantity), of_cell in visits_by_cell if quantity in OWN)
        if self._noise is None or not visits:
            return 1
        in_cells = sum(launch.cells_seconds for launch in known)
        beside = sum(launch.seconds for launch in known) - in_cells
        launches = len({together(cell) for cell in cells})
        return self._noise.visits_that_pay(len(cells) / launches, beside / len(known), in_cells / visits)

    def _is_in_time(self, cells: Sequence[Cell], elapsed_seconds: float) -> bool:
        last = self._last.get((cells[0].implementation, cells[0].ranks))
        seconds = last.seconds if last else self._first_seconds(cells) if self._first_seconds else 0.0
        return elapsed_seconds + seconds <= self._plan.time_budget_seconds

    def _state(self, cell: Cell, elapsed_seconds: float, doing: str = "") -> State:
        return State(
            now=f"{doing}{cell.implementation}, {cell.ranks} ranks",
            elapsed_seconds=elapsed_seconds,
            budget_seconds=self._plan.time_budget_seconds,
            launches=self._launches,
            cells_open=len(self._progress.open_cells()),
            cells=len(self._plan.cells),
        )

    def _why_done(self) -> str:
        if self._plan.verify:
            return "verified"
        if self._progress.broken:
            return "the testbed failed repeatedly"
        measured = [cell for cell in self._plan.cells if not self._progress.given_up(cell)]
        return "precise" if all(self._progress.precise(cell) for cell in measured) else "max launches"
