"""A simulated implementation: known times, launches that differ, a machine that drifts, settings that fail."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rankwise.analysis.tune.race import AGAIN
from rankwise.analysis.tune.search import Search, Trial
from rankwise.core.records import Cell, CellFailure, Launch, Segment, Series
from rankwise.core.tuning import Tuning

IMPLEMENTATION = "simulated-1.0"


def never(_tuning: Tuning, _cell: Cell) -> str:
    return ""


@dataclass
class Simulated:
    """`seconds` of a cell with a tuning; `fails` says why a cell cannot be measured with it, '' if it can.

    The noise of a launch is `spread` for all its cells and half of that for each; `drift` slows every round.
    """

    seconds: Callable[[Tuning, Cell], float]
    generator: np.random.Generator
    spread: float = 0.02
    drift: float = 0.0
    fails: Callable[[Tuning, Cell], str] = never
    hangs: Callable[[Tuning, Cell], str] = never
    launched: list[Trial] = field(default_factory=list)
    rounds: int = 0

    def launch(self, trial: Trial) -> Launch:
        """What came before a cell that hangs is measured, what would have come after it is not."""
        self.launched.append(trial)
        common = self.drift * self.rounds + self.spread * self.generator.standard_normal()
        series, failures, status = [], [], "finished"
        cells = list(trial.cells)
        random.Random(len(self.launched)).shuffle(cells)
        for cell in cells:
            if why := self.fails(trial.tuning, cell):
                failures.append(CellFailure(cell, why, "unsupported"))
                continue
            if why := self.hangs(trial.tuning, cell):
                failures.append(CellFailure(cell, why))
                status = "timed out"
                break
            noise = common + self.spread / 2 * self.generator.standard_normal()
            repetitions = np.exp(0.01 * self.generator.standard_normal(3))
            samples = self.seconds(trial.tuning, cell) * np.exp(noise) * repetitions
            series.append(Series(cell, "time", samples, float(cell.size_bytes)))
        return Launch(
            (Segment(IMPLEMENTATION, trial.cells[0].ranks),), status, "mpiexec", (),  # type: ignore[arg-type]
            float(len(self.launched)), 1.0,
            tuple(series), tuple(failures),
        )  # fmt: skip

    def round(self, trials: tuple[Trial, ...]) -> list[Launch]:
        """Each once, in random order; without the default's second arm, as where nothing is switched."""
        order = [trial for trial in trials if trial.name != AGAIN]
        random.Random(self.rounds).shuffle(order)
        found = [self.launch(trial) for trial in order]
        self.rounds += 1
        return found

    def answer(self, search: Search, most_rounds: int = 100) -> Tuning:
        """Ask and tell until the search is done."""
        while trials := search.ask():
            search.tell(self.round(trials))
            assert self.rounds <= most_rounds
        return search.best()


def setting(tuning: Tuning, knob: str) -> str:
    """The value of a knob, '' for its default."""
    return {one.knob: one.value for one in tuning.settings}.get(knob, "")
